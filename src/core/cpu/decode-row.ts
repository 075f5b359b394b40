import moduleBytes from '../../assembly/chunks/index.ts?assembly';
import { scatterChunk } from '../chunks/boxes.ts';
import { mismatch } from '../chunks/choose.ts';
import { decodeChunk, decodeUnchecked } from '../chunks/decode-chunk.ts';
import { chunkBytes } from '../codec/batch.ts';
import { type ChunkModule, slackBytes } from '../codec/chunk-in-memory.ts';
import { checksum, sameChecksum } from '../format/checksum.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { faultToData } from '../shared/errors.ts';
import type { Dims3 } from '../shared/volume.ts';
import { lazyModule } from '../shared/wasm-module.ts';
import { maxMemoryBytes } from './chunk-memory.ts';
import type { DecodeResult, DecodeTask } from './cpu-task.ts';

/** Pieces shorter than this are copied byte by byte, which is then faster than a call of `set`. */
const shortBytes = 256;

/**
 * WebAssembly memory in which decoded chunks are put side by side. From there whole rows go to a box: a chunk's own rows are short, and
 * copying each by itself takes up to ten times as long. One per thread.
 */
export class RowMemory {
  readonly #module: () => ChunkModule | undefined = lazyModule(moduleBytes);

  /** Undefined if the row is too large, or without WebAssembly. */
  decode(task: DecodeTask): DecodeResult | undefined {
    const { shapes, elementBytes, into } = task;
    const [width, height, depth] = rowShape(shapes);
    const rowBytes = width * elementBytes;
    if (rowBytes * height * depth > maxMemoryBytes) return undefined;
    const module = this.#module();
    if (!module) return undefined;

    const place = into ? placeIn(into) : { start: 0, rowStep: rowBytes, planeStep: rowBytes * height, offset: 0 };
    const { start, rowStep, planeStep } = place;
    // Bytes are copied to shared memory one by one, unless they have the same alignment there.
    const rowStride = sameAlignment(rowBytes, rowStep);
    const planeStride = sameAlignment(rowStride * height, planeStep);
    // Narrow rows take up to eight times their bytes.
    if (planeStride * depth > 2 * maxMemoryBytes) return undefined;
    const chunkAt = module.freeAt;
    const sumsAt = sameAlignment(
      chunkAt + Math.max(...shapes.map((shape) => chunkBytes({ shape, elementBytes }))) + slackBytes,
      0,
    );
    const rowsAt = sameAlignment(sumsAt + 8, place.offset + start);
    const memory = module.memoryTo(rowsAt + planeStride * depth + slackBytes);

    const faults = eachChunk(task, (chunk, shape, left) => {
      const geometry = { shape, elementBytes };
      const lineBytes = shape[0] * elementBytes;
      const voxels = decodeUnchecked(chunk, geometry, (byteLength) => memory.subarray(chunkAt, chunkAt + byteLength));
      if (voxels.buffer !== memory.buffer) memory.set(voxels, chunkAt);
      module.call('checksum', chunkAt, lineBytes, height * depth, 0, sumsAt);
      const [sum, cross] = new Uint32Array(memory.buffer, sumsAt, 2) as unknown as [number, number];
      if (!sameChecksum({ sum, cross }, chunk.decodedChecksum)) throw mismatch();
      module.call('placeRows', chunkAt, lineBytes, height, depth, rowsAt + left * elementBytes, rowStride, planeStride);
    });
    if (!into) return { kind: 'decode', voxels: memory.slice(rowsAt, rowsAt + planeStride * depth), faults };

    const target = into.box.bytes;
    const isWide = rowBytes === rowStep;
    const [rows, length] = isWide ? [1, rowBytes * height] : [height, rowBytes];
    for (let z = 0; z < depth; z++) {
      for (let y = 0; y < rows; y++) {
        const from = rowsAt + z * planeStride + y * rowStride;
        const to = start + z * planeStep + y * rowStep;
        if (length >= shortBytes) target.set(memory.subarray(from, from + length), to);
        else for (let x = 0; x < length; x++) target[to + x] = memory[from + x] as number;
      }
    }
    return { kind: 'decode', voxels: undefined, faults };
  }
}

/** Decodes a task's chunks, each into memory of its own first. */
export function decodeRow(task: DecodeTask): DecodeResult {
  const { shapes, elementBytes, into } = task;
  const dims = rowShape(shapes);
  const voxels = into ? undefined : new Uint8Array(chunkBytes({ shape: dims, elementBytes }));
  const { box, origin } = into ?? {
    box: { bytes: voxels as Uint8Array<ArrayBuffer>, dims, elementBytes },
    origin: [0, 0, 0] as const,
  };
  const faults = eachChunk(task, (chunk, shape, left) => {
    const place = { origin: [origin[0] + left, origin[1], origin[2]] as const, shape };
    scatterChunk(decodeChunk(chunk, { shape, elementBytes }), place, box);
  });
  return { kind: 'decode', voxels, faults };
}

/** Does `work` for each chunk of a task, which begins `left` elements from the first. @returns the faults of those that fail */
function eachChunk(
  { chunks, shapes, checksPayload }: DecodeTask,
  work: (chunk: EncodedChunk, shape: Dims3, left: number) => void,
): DecodeResult['faults'] {
  let end = 0;
  return shapes.flatMap((shape, index) => {
    const chunk = chunks[index] as EncodedChunk;
    const left = end;
    end += shape[0];
    try {
      if (checksPayload && chunk.kind === 'coded' && !sameChecksum(checksum(chunk.payload), chunk.encodedChecksum))
        throw mismatch();
      work(chunk, shape, left);
      return [];
    } catch (error) {
      return [{ index, fault: faultToData(error) }];
    }
  });
}

/** The shape of chunks beside each other. */
export function rowShape(shapes: readonly Dims3[]): Dims3 {
  const [first] = shapes as readonly [Dims3];
  return [shapes.reduce((sum, [x]) => sum + x, 0), first[1], first[2]];
}

/** Where a row begins in the bytes of a box, the steps from one row and plane to the next, and where these bytes are in their buffer. */
function placeIn({ box: { bytes, dims, elementBytes }, origin: [x, y, z] }: NonNullable<DecodeTask['into']>) {
  const rowStep = dims[0] * elementBytes;
  const planeStep = rowStep * dims[1];
  return { start: z * planeStep + y * rowStep + x * elementBytes, rowStep, planeStep, offset: bytes.byteOffset };
}

/** The first number from `least` on that has the same remainder by 8 as `other`. */
function sameAlignment(least: number, other: number): number {
  return least + ((((other - least) % 8) + 8) % 8);
}
