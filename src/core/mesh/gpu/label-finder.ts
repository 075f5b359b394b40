import findLabelsShader from '../../../shaders/mesh/find-labels.wgsl';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import { elementTypeNumber } from '../../volume/voxel-key.ts';
import { type SlabPlanes, type SlabShape, slabPieces } from './slab-planes.ts';

/** Of half the table: see find-labels.wgsl. */
const slots = 4096;

/** Finds which whole numbers are stored in the slabs of a volume. */
export class LabelFinder {
  readonly #gpu: Gpu;
  readonly #info: VolumeInfo;
  readonly #shape: SlabShape;
  readonly #table: GPUBuffer;
  readonly #state: GPUBuffer;

  readonly #onTimes: Commands['onTimes'];

  /** @param scope owns its memory */
  constructor(gpu: Gpu, info: VolumeInfo, shape: SlabShape, scope: GpuScope, onTimes?: Commands['onTimes']) {
    this.#onTimes = onTimes;
    this.#gpu = gpu;
    this.#info = info;
    this.#shape = shape;
    this.#table = scope.storage('labels', 2 * slots * 4);
    this.#state = scope.storage('label state', 8);
  }

  /** The numbers so far. @returns undefined if there are others than whole ones of 32 bits, or too many */
  async find(planes: SlabPlanes): Promise<readonly number[] | undefined> {
    using scope = this.#gpu.scope('mesh');
    const [rowVoxels] = this.#info.dims;
    const kernel = this.#gpu.kernel({
      label: 'mesh.labels',
      shader: findLabelsShader,
      constants: { element_type: elementTypeNumber(this.#info.type) },
    });
    const commands = this.#gpu.commands('mesh', this.#onTimes).stage('labels');
    for (const { buffer, rowWords, rowCount, firstPlane, planeCount } of slabPieces(planes, this.#shape)) {
      const count = rowVoxels * rowCount * planeCount;
      const piece = scope.uniform('piece', [rowVoxels, rowWords, firstPlane * rowCount, count]);
      commands.dispatch(kernel, [buffer, piece, this.#table, this.#state], Math.ceil(count / 256));
    }
    const [state, table] = [commands.readWords(this.#state), commands.readWords(this.#table)];
    await commands.submit();
    const [isUnfit, hasLargest] = state();
    if (isUnfit === 1) return undefined;
    const numbers = [...table()].flatMap((key, at) => (key === 0 ? [] : [at < slots ? ~key >>> 0 : -(~key >>> 0)]));
    return hasLargest === 1 ? [...numbers, 2 ** 32 - 1] : numbers;
  }
}
