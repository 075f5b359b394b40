import { rowBytes } from '../../codec/codec.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { OpenVolume } from '../../io/common/volume-reader.ts';
import { elementBytes } from '../../shared/volume.ts';
import { readVoxels } from '../../stream/voxel-reader.ts';
import type { GpuPlaneReader, GpuPlanes } from './gpu-surfaces.ts';

/** Planes are uploaded in pieces of so many bytes, or one by one if they are larger. */
const uploadBytes = 2 ** 26;

/**
 * A time point of a volume in a file, whose planes are uploaded as they are read, in order.
 * @param pieceBytes for tests
 * @returns undefined if a plane is larger than the device can bind
 */
export function uploadedPlanes(
  gpu: Gpu,
  volume: Pick<OpenVolume, 'info' | 'voxels' | 'fill'>,
  t: number,
  signal: AbortSignal | undefined,
  pieceBytes = uploadBytes,
): GpuPlanes | undefined {
  const { type, dims } = volume.info;
  const [width, rows, depth] = dims;
  const isWide = type === 'f64';
  const elements = { width: isWide ? 2 * width : width, bytes: isWide ? 4 : (elementBytes(type) as 1 | 2 | 4) };
  const paddedRow = rowBytes(elements.width, elements.bytes);
  const most = Math.min(depth, Math.max(1, Math.floor(Math.min(pieceBytes, gpu.maxBindingBytes) / (paddedRow * rows))));
  if (paddedRow * rows > gpu.maxBindingBytes) return undefined;
  const rowLength = width * elementBytes(type);

  function planeReader(): GpuPlaneReader {
    const scope = gpu.scope('mesh');
    const buffer = scope.storage('planes', paddedRow * rows * most);
    const reader = readVoxels(volume, signal);
    let isAtStart = true;
    return {
      async read(plane) {
        if (isAtStart) await reader.skip(t * depth * rows * rowLength);
        const count = Math.min(most, t * depth + depth - plane);
        const bytes = new Uint8Array(count * rows * rowLength);
        isAtStart = false;
        await reader.fill(bytes);
        gpu.checkAlive();
        gpu.device.queue.writeBuffer(buffer, 0, padded(bytes, rowLength, paddedRow));
        const voxels = { buffer, dims: [elements.width, rows, count] as const, elementBytes: elements.bytes };
        return {
          boxes: [{ voxels, firstRow: 0, rowCount: rows, firstPlane: plane, planeCount: count }],
          endPlane: plane + count,
        };
      },
      destroy() {
        scope.destroy();
        return reader.close();
      },
    };
  }
  return { info: volume.info, decimation: 1, planeReader };
}

/** Rows with padding to whole words. */
function padded(bytes: Uint8Array<ArrayBuffer>, rowLength: number, paddedRow: number): Uint8Array<ArrayBuffer> {
  if (rowLength === paddedRow) return bytes;
  const rows = bytes.length / rowLength;
  const wide = new Uint8Array(rows * paddedRow);
  for (let row = 0; row < rows; row++) wide.set(bytes.subarray(row * rowLength, (row + 1) * rowLength), row * paddedRow);
  return wide;
}
