import { rowBytes } from '../../codec/codec.ts';
import { type ChunkGrid, codecElementBytes } from '../../format/chunk-grid.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { StoredChunk } from '../../gpu-chunks/decode-planner.ts';
import { emptyBox } from '../../gpu-chunks/gpu-transfer.ts';
import { type Dims3, type ElementType, elementBytes, typedVoxels } from '../../shared/volume.ts';
import type { LayerBox, LayerSource } from './compressed-layers.ts';

// Reads one voxel of a compressed volume. Positions are in codec elements: a voxel's position is that of its first element.

/** A position in a box of `CompressedLayers`: z counts from the first time point of its chunk, because chunks may hold several. */
export function stackedPosition(grid: ChunkGrid, [x, y, z]: Dims3, timePoint: number): Dims3 {
  return [x, y, z + (timePoint % grid.timePointsPerChunk) * grid.dims[2]];
}

/**
 * Reads a voxel from a box that will hold it when all submitted work has run. Submits the read at once, before other voxels are
 * decoded into the box.
 */
export async function readVoxel(gpu: Gpu, type: ElementType, box: LayerBox, [x, y, z]: Dims3): Promise<number> {
  const { voxels, origin } = box;
  const row = (z - origin[2]) * voxels.dims[1] + y - origin[1];
  const byte = row * rowBytes(voxels.dims[0], voxels.elementBytes) + (x - origin[0]) * voxels.elementBytes;
  return typedVoxels(type, await readBytes(gpu, voxels.buffer, byte, elementBytes(type)))[0] as number;
}

/** Decodes the voxel's chunk, or only the part that its codec needs, and reads the voxel. */
export async function decodeVoxel(source: LayerSource, position: Dims3, timePoint: number): Promise<number> {
  const { gpu, type, grid, planner, stored } = source;
  using scope = gpu.scope('decoded.probe');
  const number = grid.numberAt([...position, timePoint]);
  const { origin, shape } = grid.box(number);
  const chunk = stored[number] as StoredChunk;
  const codecBytes = codecElementBytes(type);
  const inChunk: Dims3 = [position[0] - origin[0], position[1] - origin[1], grid.planeInChunk(position[2], timePoint)];
  const elements = Array.from({ length: elementBytes(type) / codecBytes }, (_, at): Dims3 => {
    return [inChunk[0] + at, inChunk[1], inChunk[2]];
  });
  const commands = gpu.commands('probe');
  // The read that follows reports a failure.
  const submit = () => commands.submit().catch(() => {});

  const plan = planner.planElements(chunk, { shape, elementBytes: codecBytes }, elements, scope);
  if (!plan) {
    const voxels = emptyBox(scope, shape, codecBytes);
    const place = { origin: [0, 0, 0] as const, shape };
    planner.plan([{ ...place, stored: chunk, number }], voxels, scope)(commands);
    submit();
    return await readVoxel(gpu, type, { voxels, origin: [0, 0, 0], chunks: [{ ...place, number }] }, inChunk);
  }
  plan.run(commands);
  submit();
  const parts = await Promise.all(plan.byteOffsets.map((byte) => readBytes(gpu, plan.buffer, byte, codecBytes)));
  const bytes = Uint8Array.from(parts.flatMap((part) => [...part]));
  return typedVoxels(type, bytes)[0] as number;
}

/** Reads whole words, because buffer copies need multiples of 4 bytes. */
async function readBytes(gpu: Gpu, buffer: GPUBuffer, byte: number, count: number): Promise<Uint8Array<ArrayBuffer>> {
  const word = byte - (byte % 4);
  const bytes = await gpu.read(buffer, word, Math.max(4, count));
  return bytes.slice(byte - word, byte - word + count);
}
