import classifyShader from '../../../shaders/mesh/classify.wgsl';
import cornersShader from '../../../shaders/mesh/corners.wgsl';
import countShader from '../../../shaders/mesh/count.wgsl';
import trianglesShader from '../../../shaders/mesh/triangles.wgsl';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import type { Kernel } from '../../gpu/kernel.ts';
import { takeLent } from '../../gpu/lent-bytes.ts';
import { exclusiveScan } from '../../gpu/scan.ts';
import type { GpuScope } from '../../gpu/scope.ts';
import { StriaError } from '../../shared/errors.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import { elementTypeNumber } from '../../volume/voxel-key.ts';
import { cellEdges, cubeCases } from '../cube-cases.ts';
import type { Mesh } from '../mesh.ts';
import type { KeyRange } from './key-range.ts';
import { type SlabPlanes, type SlabShape, slabPieces } from './slab-planes.ts';
import { cornerWords, type LevelScale, SurfaceCollector, valueWords } from './surface-collector.ts';

/** Corners and triangles are read back so many at a time. */
const mostAtOnce = 2 ** 20;
const caseWords = 8;
const rangeWords = 6;

/** Values that a surface encloses. */
export interface NumberedRange extends KeyRange {
  /** Of the surface, from 0. */
  readonly surface: number;
}

export interface PassSettings {
  /** How corners are placed, if there is a single surface at a level; undefined for surfaces of labels. */
  readonly scale: LevelScale | undefined;
  /** The most ranges of `extract`. */
  readonly mostRanges: number;
  /** Gets the times of the stages `classify`, `count`, `corners` and `triangles`. */
  readonly onTimes?: Commands['onTimes'];
  /** For tests. */
  readonly mostAtOnce?: number | undefined;
}

interface SlabCounts {
  readonly corners: number;
  readonly triangles: number;
}

/** Extracts the surface of a level, or those of all labels at once, slab by slab. */
export class SurfacePass {
  readonly #gpu: Gpu;
  readonly #shape: SlabShape;
  readonly #scale: LevelScale | undefined;
  readonly #mostAtOnce: number;
  readonly #onTimes: Commands['onTimes'];
  readonly #collector: SurfaceCollector;
  readonly #kernels: { readonly classify: Kernel; readonly count: Kernel; readonly corners: Kernel; readonly triangles: Kernel };
  readonly #ranges: GPUBuffer;
  readonly #cases: GPUBuffer;
  readonly #classes: GPUBuffer;
  readonly #values: GPUBuffer | undefined;
  readonly #cornerOffsets: GPUBuffer;
  readonly #triangleOffsets: GPUBuffer;
  readonly #offsetsBelow: GPUBuffer;
  /** A plane on its way from the end of a slab to the beginning of the next: a buffer cannot be copied into itself. */
  readonly #plane: GPUBuffer;
  /** Of the slab before. */
  #planesBefore = 0;
  #base = 0;
  #baseBelow = 0;
  #triangleCount = 0;

  /** @param scope owns its memory @throws StriaError `limit-too-small` */
  constructor(gpu: Gpu, { type }: VolumeInfo, shape: SlabShape, scope: GpuScope, settings: PassSettings) {
    this.#gpu = gpu;
    this.#shape = shape;
    this.#scale = settings.scale;
    this.#mostAtOnce = settings.mostAtOnce ?? mostAtOnce;
    this.#onTimes = settings.onTimes;
    this.#collector = new SurfaceCollector(shape.dims, settings.scale);
    const words = valueWords(type);
    const variant = { keeps_values: settings.scale !== undefined };
    const constants = { element_type: elementTypeNumber(type) };
    this.#kernels = {
      classify: gpu.kernel({ label: 'mesh.classify', shader: classifyShader, variant, constants }),
      count: gpu.kernel({ label: 'mesh.count', shader: countShader }),
      corners: gpu.kernel({
        label: 'mesh.corners',
        shader: cornersShader,
        variant: { ...variant, value_words: settings.scale ? words : 0 },
      }),
      triangles: gpu.kernel({ label: 'mesh.triangles', shader: trianglesShader }),
    };
    const { plane, planes } = shape;
    this.#ranges = scope.storage('ranges', 4 * rangeWords * Math.max(1, settings.mostRanges));
    this.#cases = scope.storage('cases', 4 * 256 * caseWords, cubeCaseWords());
    // New buffers are zero: all is outside.
    this.#classes = scope.storage('classes', 4 * plane * (planes + 1));
    this.#values = settings.scale && scope.storage('values', 4 * words * plane * (planes + 1));
    this.#cornerOffsets = scope.storage('corner offsets', 4 * plane * planes);
    this.#triangleOffsets = scope.storage('triangle offsets', 4 * plane * planes);
    this.#offsetsBelow = scope.storage('offsets below', 4 * plane);
    this.#plane = scope.storage('plane', 4 * words * plane);
  }

  /** Of all slabs so far. */
  get triangleCount(): number {
    return this.#triangleCount;
  }

  /**
   * Extracts what lies in the next planes, and in the cells below them. The plane behind the last one of the volume is outside.
   * @param check called before each submit @param onCount called when `triangleCount` has grown, before anything is read back
   * @throws StriaError `device-lost`; errors of `check` and `onCount`
   */
  async extract(
    planes: SlabPlanes,
    z: number,
    ranges: readonly NumberedRange[],
    { check, onCount }: { readonly check: () => void; readonly onCount: () => void },
  ): Promise<void> {
    const voxelCount = planes.count * this.#shape.plane;
    check();
    const counts = await this.#count(planes, z, ranges, voxelCount);
    this.#triangleCount += counts.triangles;
    onCount();
    this.#collector.beginSlab({ base: this.#base, cornerCount: counts.corners, planeBelow: z - 1 });
    const values = this.#values ? [this.#values] : [];
    await this.#readBack('corners', voxelCount, counts.corners, cornerWords(this.#scale), check, {
      bindings: (slab, corners) => [slab, this.#classes, this.#cornerOffsets, corners, ...values],
      take: (words) => this.#collector.takeCorners(words),
    });
    await this.#readBack('triangles', voxelCount, counts.triangles, 3, check, {
      bindings: (slab, triangles) => [
        slab,
        this.#classes,
        this.#cases,
        this.#cornerOffsets,
        this.#triangleOffsets,
        this.#offsetsBelow,
        triangles,
      ],
      take: (words) => this.#collector.takeTriangles(words),
    });
    this.#planesBefore = planes.count;
    this.#baseBelow = this.#base;
    this.#base += counts.corners;
  }

  /** The mesh of a surface, in voxels, after the last plane. */
  finish(surface: number): Mesh {
    return this.#collector.finish(surface);
  }

  async #count(planes: SlabPlanes, z: number, ranges: readonly NumberedRange[], voxelCount: number): Promise<SlabCounts> {
    using scope = this.#gpu.scope('mesh');
    this.#writeRanges(ranges);
    const commands = this.#gpu.commands('mesh', this.#onTimes);
    this.#takePlaneBelow(commands);
    commands.stage('classify');
    const { dims, row, plane } = this.#shape;
    for (const piece of slabPieces(planes, this.#shape)) {
      const count = dims[0] * piece.rowCount * piece.planeCount;
      const place = [piece.rowWords, piece.rowCount, piece.firstPlane, count, piece.to, row, plane, ranges.length];
      const uniform = scope.uniform('piece', [dims[0], ...place]);
      const bindings = [piece.buffer, uniform, this.#ranges, this.#classes, ...(this.#values ? [this.#values] : [])];
      commands.dispatch(this.#kernels.classify, bindings, Math.ceil(count / 256));
    }
    const outside = dims[2] - z;
    if (outside < planes.count)
      commands.record((encoder) => encoder.clearBuffer(this.#classes, 4 * plane * (outside + 1), 4 * plane));
    const slab = this.#slabUniform(scope, voxelCount, 0, 0, 0);
    const offsets = [this.#cornerOffsets, this.#triangleOffsets] as const;
    commands.stage('count');
    commands.dispatch(this.#kernels.count, [slab, this.#classes, this.#cases, ...offsets], Math.ceil(voxelCount / 256));
    const totals = offsets.map((counts) => exclusiveScan(this.#gpu, commands, scope, counts, voxelCount));
    const read = totals.map((total) => commands.readWords(total));
    await commands.submit();
    const [corners = 0, triangles = 0] = read.map((words) => words()[0] as number);
    return { corners, triangles };
  }

  #writeRanges(ranges: readonly NumberedRange[]): void {
    const sorted = [...ranges].sort((a, b) => (a.first < b.first ? -1 : 1));
    const words = sorted.flatMap(({ first, last, surface }) => [
      Number(first >> 32n),
      Number(first & 0xffffffffn),
      Number(last >> 32n),
      Number(last & 0xffffffffn),
      surface + 1,
      0,
    ]);
    this.#gpu.device.queue.writeBuffer(this.#ranges, 0, new Uint32Array(words));
  }

  /** Makes the last plane of the slab before plane 0 of this one. */
  #takePlaneBelow(commands: Commands): void {
    if (this.#planesBefore === 0) return;
    const { plane } = this.#shape;
    commands.record((encoder) => {
      for (const buffer of this.#values ? [this.#classes, this.#values] : [this.#classes]) {
        const bytes = buffer === this.#values ? 4 * plane * valueWords((this.#scale as LevelScale).type) : 4 * plane;
        encoder.copyBufferToBuffer(buffer, this.#planesBefore * bytes, this.#plane, 0, bytes);
        encoder.copyBufferToBuffer(this.#plane, 0, buffer, 0, bytes);
      }
      encoder.copyBufferToBuffer(this.#cornerOffsets, 4 * plane * (this.#planesBefore - 1), this.#offsetsBelow, 0, 4 * plane);
    });
  }

  /** Has the corners or triangles of a slab written and read back, some at a time. */
  async #readBack(
    kind: 'corners' | 'triangles',
    voxelCount: number,
    total: number,
    words: number,
    check: () => void,
    { bindings, take }: ReadBack,
  ): Promise<void> {
    for (let first = 0; first < total; first += this.#mostAtOnce) {
      check();
      using scope = this.#gpu.scope('mesh');
      const end = Math.min(total, first + this.#mostAtOnce);
      const bytes = 4 * words * (end - first);
      const slab = this.#slabUniform(scope, voxelCount, first, end, total);
      const out = scope.reused(kind, bytes);
      const commands = this.#gpu.commands('mesh', this.#onTimes).stage(kind);
      commands.dispatch(this.#kernels[kind], bindings(slab, out), Math.ceil(voxelCount / 256));
      const lend = commands.lend(bytes, [{ buffer: out, offset: 0, size: bytes, to: 0 }]);
      await commands.submit();
      await takeLent(lend(), (lent) => take(new Uint32Array(lent.buffer, lent.byteOffset, bytes / 4)));
    }
  }

  /** `Slab` of slab.wgsl. */
  #slabUniform(scope: GpuScope, voxelCount: number, first: number, end: number, total: number): GPUBuffer {
    const { row, plane } = this.#shape;
    return scope.uniform('slab', [row, plane, voxelCount, this.#base, this.#baseBelow, first, end, total]);
  }
}

interface ReadBack {
  readonly bindings: (slab: GPUBuffer, out: GPUBuffer) => readonly GPUBuffer[];
  readonly take: (words: Uint32Array) => void;
}

/** For cells.wgsl: of each set of inner corners the number of triangles, then a word for each: three edges of 8 bits. */
function cubeCaseWords(): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(256 * caseWords);
  for (const [inner, edges] of cubeCases.entries()) {
    const count = edges.length / 3;
    if (count >= caseWords) throw new StriaError('internal', `a cell has ${count} triangles`);
    words[inner * caseWords] = count;
    for (const [at, edge] of edges.entries()) {
      const { corner, axis } = cellEdges[edge] as { corner: number; axis: number };
      const word = inner * caseWords + 1 + Math.floor(at / 3);
      words[word] = (words[word] as number) | ((corner + 8 * axis) << (8 * (at % 3)));
    }
  }
  return words;
}
