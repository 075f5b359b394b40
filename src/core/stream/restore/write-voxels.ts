import type { Backend, LentVoxels } from '../../chunks/backend.ts';
import { maxLayerBytes } from '../../chunks/chunk-shape.ts';
import { type Endian, swapBytes, elementBytes as voxelWidth } from '../../shared/volume.ts';
import { Beside, overlapBytes, slabBytesFor } from '../pipeline.ts';
import { largestSlabBytes, maxRegionBytes, ReusedBytes, regionsOf, type Slab, slabsOf } from '../slabs.ts';
import { PieceWriter, type VoxelSink } from './piece-writer.ts';
import type { SlabDecoder } from './slab-decoder.ts';

/** Decodes all voxels in order. One piece is written while the next is decoded, if two fit in memory. */
export async function writeVoxels(slabs: SlabDecoder, endian: Endian, backend: Backend, sink: VoxelSink): Promise<void> {
  const { grid, elementBytes, volume } = slabs;
  const slabBytes = slabBytesFor(backend);
  const largestBytes = grid.isInterleaved ? maxRegionBytes : largestSlabBytes(grid, elementBytes, slabBytes);
  if (!grid.isInterleaved && (endian === 'little' || voxelWidth(volume.type) === 1) && slabs.canLend(largestBytes)) {
    return writeLent(slabs, slabsOf(grid, elementBytes, slabBytes), backend, sink);
  }
  const overlaps = largestBytes <= overlapBytes;
  const buffers = [new ReusedBytes(backend.sharesMemory), new ReusedBytes(backend.sharesMemory)] as const;
  const writing = new Beside<void>();
  let pieceNumber = 0;
  try {
    for (const { byteLength, decode } of piecesOf(slabs, slabBytes)) {
      slabs.throwIfAborted();
      if (!overlaps) await writing.end();
      const buffer = buffers[overlaps ? pieceNumber++ % 2 : 0] as ReusedBytes;
      const bytes = buffer.take(byteLength);
      await decode(bytes);
      if (endian === 'big') swapBytes(bytes, voxelWidth(volume.type));
      await writing.end();
      writing.start(() => sink.write(bytes));
    }
    await writing.end();
    slabs.throwIfAborted();
  } finally {
    await writing.settle();
  }
}

/** All voxels in order, little-endian. A piece is valid until the next one is requested. */
export async function* voxelPieces(slabs: SlabDecoder, backend: Backend): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const buffer = new ReusedBytes(backend.sharesMemory);
  for (const { byteLength, decode } of piecesOf(slabs, slabBytesFor(backend))) {
    slabs.throwIfAborted();
    const bytes = buffer.take(byteLength);
    await decode(bytes);
    yield bytes;
  }
}

/** Writes slabs from the memory in which the backend decodes them. Several are decoded at once while others are written. */
async function writeLent(
  slabs: SlabDecoder,
  ranges: Iterable<Slab>,
  { boxesAtOnce: slabsAtOnce = 1, sharesMemory }: Backend,
  sink: VoxelSink,
): Promise<void> {
  const writer = new PieceWriter(sink);
  const passing = new Beside<void>();
  const running: { readonly decoded: Promise<LentVoxels>; readonly written: Promise<void> }[] = [];
  const memory = Array.from({ length: slabsAtOnce }, () => new ReusedBytes(sharesMemory));
  let number = 0;
  let beginWriting = () => {};
  const firstWrite = new Promise<void>((resolve) => {
    beginWriting = resolve;
  });
  try {
    for (const slab of ranges) {
      slabs.throwIfAborted();
      // A GPU decodes the first slab alone. Parsing the records of the next ones keeps this thread busy, so the first write goes before.
      if (number === 1 && !sharesMemory) await Promise.race([firstWrite, running[0]?.written]);
      else if (running.length >= slabsAtOnce) await running.at(-slabsAtOnce)?.decoded;
      if (running.length > slabsAtOnce) await running.shift()?.written;
      slabs.throwIfAborted();
      const decoded = slabs.lend(slab, memory[number++ % slabsAtOnce] as ReusedBytes);
      // `written` throws its fault, but perhaps only after earlier, slower writes.
      decoded.catch(() => {});
      const writes: Promise<void>[] = [];
      const passed = passing.start(async () => {
        const voxels = await decoded;
        await writer.ready();
        for await (const piece of voxels.pieces()) {
          const write = writer.write(piece);
          void write.then(beginWriting);
          writes.push(write);
          await writer.ready();
          slabs.throwIfAborted();
        }
      });
      const written = passed.finally(() => Promise.all(writes)).then(() => writer.check());
      const release = async () => (await decoded).release();
      // Also if an earlier write fails.
      written.then(release, release).catch(() => {});
      running.push({ decoded, written });
    }
    for (const { written } of running) await written;
    slabs.throwIfAborted();
  } finally {
    await Promise.allSettled(running.flatMap(({ decoded, written }) => [decoded, written]));
  }
}

/** Voxels that are contiguous in the volume. */
interface Piece {
  readonly byteLength: number;
  decode(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}

/** A volume's voxels in order: in slabs, or in regions if a layer exceeds the memory limit or chunks interleave time points. */
function* piecesOf(slabs: SlabDecoder, slabBytes: number): Generator<Piece> {
  const { grid, elementBytes } = slabs;
  if (!grid.isInterleaved && largestSlabBytes(grid, elementBytes, slabBytes) <= maxLayerBytes) {
    for (const slab of slabsOf(grid, elementBytes, slabBytes)) {
      yield { byteLength: slab.byteLength, decode: (bytes) => slabs.decode(slab, bytes) };
    }
  } else {
    for (const region of regionsOf(grid, elementBytes, maxRegionBytes)) {
      const [x, y, z] = region.dims;
      yield { byteLength: x * y * z * elementBytes, decode: (bytes) => slabs.decodeRegion(region, bytes) };
    }
  }
}
