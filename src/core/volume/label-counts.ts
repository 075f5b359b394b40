import labelCountsShader from '../../shaders/volume/label-counts.wgsl';
import { rowBytes } from '../codec/codec.ts';
import type { Gpu } from '../gpu/gpu.ts';
import { StriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { mostLabels, tooManyLabels } from '../shared/label-table.ts';
import { type ElementType, elementBytes } from '../shared/volume.ts';
import type { PlaneBox } from './plane-reader.ts';
import type { VolumeSource } from './volume-source.ts';
import { elementTypeNumber } from './voxel-key.ts';

/** The number of voxels of each label, by label number. */
export type LabelCounts = ReadonlyMap<number, number>;

/** The maximum number of units (see range.wgsl) per dispatch, so that a slow GPU is not blocked for long. */
const unitsPerDispatch = 2 ** 22;
const unitsPerWorkgroup = 4096;

/**
 * Counts the voxels of each label number at a time point on the GPU, exactly. Floats are rounded (see `labelNumbers`); those that are not
 * finite are not counted.
 * @param mostInTable counts are read back from the GPU after this many voxels, because they have 32 bits there
 * @returns counts in ascending order of the numbers
 * @throws StriaError `unsupported` if not all voxels are kept, or if there are more numbers than a volume of labels has; `aborted`,
 * `device-lost`
 */
export async function labelCounts(
  gpu: Gpu,
  volume: Pick<VolumeSource, 'info' | 'decimation' | 'planeReader'>,
  timePoint: number,
  { signal }: Pick<JobOptions, 'signal'> = {},
  mostInTable = 2 ** 31,
): Promise<LabelCounts> {
  const { type, dims } = volume.info;
  if (volume.decimation > 1)
    throw new StriaError('unsupported', 'labels cannot be counted, because the GPU holds only a part of the voxels');
  using scope = gpu.scope('labels');
  const slots = tableSlots(type);
  const table = scope.storage('table', 8 * slots);
  const rest = scope.storage('rest', 8);
  const counts = new Map<number, number>();
  let inTable = 0;
  let isFull = false;
  const add = (number: number, count: number) => counts.set(number, (counts.get(number) ?? 0) + count);
  const takeCounts = async () => {
    const [minusOne = 0, full] = await gpu.readWords(rest);
    const words = await gpu.readWords(table);
    isFull ||= full === 1;
    if (minusOne > 0) add(numberOf(type, 0xffffffff), minusOne);
    for (let slot = 0; slot < slots; slot++) {
      const key = words[2 * slot] as number;
      if (key !== 0) add(numberOf(type, ~key >>> 0), words[2 * slot + 1] as number);
    }
    await gpu
      .commands('labels.count')
      .record((encoder) => {
        encoder.clearBuffer(table);
        encoder.clearBuffer(rest);
      })
      .submit();
    inTable = 0;
  };
  const reader = volume.planeReader();
  try {
    const end = (timePoint + 1) * dims[2];
    for (let plane = timePoint * dims[2]; plane < end; ) {
      throwIfAborted(signal);
      const run = await reader.read(plane);
      const until = Math.min(end, run.endPlane, plane + Math.max(1, Math.floor(mostInTable / (dims[0] * dims[1]))));
      const voxels = (until - plane) * dims[0] * dims[1];
      if (inTable > 0 && inTable + voxels > mostInTable) await takeCounts();
      for (const box of run.boxes) await countBox(gpu, type, dims[0], box, plane, until, { table, rest, slots });
      inTable += voxels;
      plane = until;
    }
    await takeCounts();
    if (isFull || counts.size > mostLabels) throw tooManyLabels();
  } finally {
    reader.destroy();
  }
  return new Map([...counts].sort(([a], [b]) => a - b));
}

interface CountTable {
  readonly table: GPUBuffer;
  readonly rest: GPUBuffer;
  readonly slots: number;
}

/** Counts those planes of a box that lie from `first` up to, not including, `end`. */
async function countBox(
  gpu: Gpu,
  type: ElementType,
  width: number,
  { voxels, rowCount, firstPlane, planeCount }: PlaneBox,
  first: number,
  end: number,
  { table, rest, slots }: CountTable,
): Promise<void> {
  const from = Math.max(first, firstPlane) - firstPlane;
  const planes = Math.min(end, firstPlane + planeCount) - firstPlane - from;
  if (planes <= 0) return;
  const kernel = gpu.kernel({
    label: 'labels.count',
    shader: labelCountsShader,
    constants: { element_type: elementTypeNumber(type) },
  });
  const rowUnits = rowBytes(voxels.dims[0], voxels.elementBytes) / (type === 'f64' ? 8 : 4);
  const units = rowUnits * rowCount * planes;
  for (let done = 0; done < units; done += unitsPerDispatch) {
    using scope = gpu.scope('labels');
    const count = Math.min(unitsPerDispatch, units - done);
    const uniform = scope.uniform('piece', [rowUnits, width, from * rowCount * rowUnits + done, count, slots - 1]);
    const workgroups = Math.ceil(count / unitsPerWorkgroup);
    await gpu.commands('labels.count').dispatch(kernel, [voxels.buffer, uniform, table, rest], [workgroups, 1, 1]).submit();
  }
}

/** For 8 and 16 bits, twice as many slots as there are numbers; for other types, enough slots that few labels share one. */
function tableSlots(type: ElementType): number {
  const bytes = elementBytes(type);
  return bytes === 1 ? 2 ** 9 : bytes === 2 ? 2 ** 17 : 4 * mostLabels;
}

function numberOf(type: ElementType, bits: number): number {
  return type === 'u32' ? bits : bits | 0;
}
