import { keptSlices, SlabPlane, type SlabSource, slabRange, type ThickSlice } from '../../../core/draw/slab-plane.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { Dims4 } from '../../../core/shared/volume.ts';
import type { LevelBox, VolumeLevel } from '../../../core/shared/volume-level.ts';
import { sliceBoxOf } from '../../../core/volume/slice-box.ts';
import type { SliceBox, VolumeSource } from '../../../core/volume/volume-source.ts';
import type { AxisNumber } from '../model/orientation.ts';

interface SlabPart {
  readonly axis: AxisNumber;
  /** The wanted part of the slab's middle slice. */
  readonly region: LevelBox;
  readonly level: VolumeLevel;
  readonly slab: ThickSlice;
}

/**
 * Projects a part of a slab from a file: its slices are read one after another and projected like those of a volume in GPU memory.
 * @returns a plane of 32-bit floats, and its memory, which the caller destroys
 * @throws like `read`
 */
export async function slabDetail(
  gpu: Gpu,
  { info, numbers }: VolumeSource,
  { axis, region, level, slab }: SlabPart,
  read: (box: LevelBox) => Promise<Uint8Array<ArrayBuffer>>,
): Promise<{ readonly box: SliceBox; readonly memory: { destroy(): void } }> {
  const wanted = keptSlices(slab.slices, level.factors[axis]);
  const [first, last] = slabRange(region.first[axis], wanted, level.dims[axis]);
  const slices = last - first + 1;
  const scope = gpu.scope('slab.detail');
  const plane = new SlabPlane(gpu);
  try {
    const boxes: SliceBox[] = [];
    for (let at = 0; at < slices; at++) {
      const bytes = await read({ ...region, first: region.first.with(axis, first + at) as [number, number, number] });
      gpu.checkAlive();
      const place = { first: [0, 0, 0].with(axis, at) as [number, number, number], size: region.size };
      boxes.push(sliceBoxOf(gpu, scope, info.type, place, bytes));
    }
    const dims = [...region.size, 1].with(axis, slices) as [number, number, number, number] satisfies Dims4;
    const source: SlabSource = {
      info,
      dims,
      factors: [1, 1, 1],
      numbers,
      recordSlice: (_commands, _axis, index) => boxes.slice(index, index + 1),
    };
    const commands = gpu.commands('slab.detail');
    const middle = Math.floor((slices - 1) / 2);
    const [box] = plane.record(commands, source, axis, middle, 0, { ...slab, slices });
    await commands.submit();
    plane.moveTo(region.first);
    return { box: box as SliceBox, memory: plane };
  } catch (error) {
    plane.destroy();
    throw error;
  } finally {
    scope.destroy();
  }
}
