import type { Gpu } from '../gpu/gpu.ts';
import { cross, scaled, sum, unitVector } from '../shared/vectors.ts';
import type { Dims3 } from '../shared/volume.ts';
import type { VolumeSource } from '../volume/volume-source.ts';
import { LayerSlab } from './layer-slab.ts';
import { type LineSamples, sampleLineOfFile } from './line-from-file.ts';

/**
 * Stored values at points on a line, as 32-bit floats; NaN outside the volume and for missing data. A compressed volume is
 * decoded only along the line. Voxels that the GPU lacks are read from the file. @throws StriaError `device-lost`; the readers' errors
 */
export async function sampleLine(gpu: Gpu, volume: VolumeSource, timePoint: number, line: LineSamples): Promise<Float32Array> {
  if (volume.decimation > 1 && volume.file) return sampleLineOfFile(volume, volume.file, timePoint, line);
  const { from, to, count, smooth, slab: thick } = line;
  const right = scaled(sum(to, scaled(from, -1)), 1 / (count - 1));
  // The samples form a picture one pixel high, so `down` may be any direction across the line.
  const [x, y, z] = right.map(Math.abs) as [number, number, number];
  const least: Dims3 = x <= y && x <= z ? [1, 0, 0] : y <= z ? [0, 1, 0] : [0, 0, 1];
  const down = Math.hypot(x, y, z) > 0 ? scaled(unitVector(cross(right, least)), 1e-3) : ([1e-3, 0, 0] as const);
  // The line begins in the middle of the first pixel.
  const origin = sum(from, scaled(right, -0.5), scaled(down, -0.5));
  const slab = new LayerSlab(gpu);
  try {
    const commands = gpu.commands('line');
    const samples = {
      origin,
      across: thick?.across ?? ([0, 0, 0] as const),
      right,
      down,
      width: count,
      height: 1,
      slices: thick?.slices ?? ([0, 0] as const),
      kind: thick?.kind ?? 'mean',
      smooth,
    } as const;
    const [box] = slab.record(commands, volume, timePoint, samples);
    await commands.submit();
    if (!box) return new Float32Array(count).fill(Number.NaN);
    const bytes = await gpu.read(box.voxels.buffer);
    return new Float32Array(bytes.buffer, bytes.byteOffset, count).slice();
  } finally {
    slab.destroy();
  }
}
