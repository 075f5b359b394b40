import type { OpenVolume } from '../../io/common/volume-reader.ts';
import { StriaError } from '../../shared/errors.ts';
import { throwIfAborted } from '../../shared/job.ts';
import { type Dims3, elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import {
  checkedLevelBox,
  type LevelBox,
  type StreamedLevels,
  timePointsOf,
  type VolumeLevel,
  wholeFactors,
} from '../../shared/volume-level.ts';

/** A box is refused if it would take more bytes or more reads than this. */
const mostBytes = 2 ** 26;
const mostReads = 2 ** 13;
/** Rows closer together than this are read together, up to `runBytes`. Reading a whole level allows larger gaps. */
const nearBytes = 2 ** 14;
const nearInLevel = 2 ** 16;
const runBytes = 2 ** 23;
const readsAtOnce = 8;
/** No level has fewer voxels than this along an axis, unless the volume itself has fewer. */
const shortest = 16;
/** The coarsest level has at most about this many voxels. */
const fewVoxels = 2 ** 18;

type Source = Pick<OpenVolume, 'info' | 'fill'>;
/** Rows of a plane that are read together. */
interface Run {
  readonly z: number;
  readonly y: number;
  readonly rows: number;
}

/**
 * Boxes of a file with random access; undefined for other files, such as gzip. The levels are every second voxel, every fourth and so
 * on, because other levels would require reading the whole file.
 * @param levels the volume itself and levels of other factors
 */
export function leveledFile(volume: Source, levels = stridedLevels(volume.info)): StreamedLevels | undefined {
  if (!volume.fill) return undefined;
  const { info } = volume;
  return {
    levels,
    async read(box, { signal } = {}) {
      const { factors } = checkedLevelBox(levels, box);
      const layout = layoutOf(info, factors, box, nearBytes);
      const reads = layout.runs.length;
      const bytes = layout.runs.reduce((sum, run) => sum + layout.bytesOf(run), 0);
      if (reads > mostReads || bytes > mostBytes) {
        throw new StriaError('unsupported', `too much of the file would be read for ${box.size.join('×')} voxels`);
      }
      return readRuns(volume, layout, box, signal);
    },
    async *voxels(level, options = {}) {
      const { dims, factors } = levels[level] as VolumeLevel;
      const [nx, ny, nz, times] = dims;
      for (const timePoint of timePointsOf(options, times)) {
        for (let z = 0; z < nz; z++) {
          const box: LevelBox = { level, first: [0, 0, z], size: [nx, ny, 1], timePoint };
          yield await readRuns(volume, layoutOf(info, factors, box, nearInLevel), box, options.signal);
        }
      }
    },
    close() {},
  };
}

/** A volume at lower resolutions, from the finest (the volume itself) to the coarsest: every second voxel, every fourth and so on. */
export function stridedLevels({ dims }: Pick<VolumeInfo, 'dims'>): readonly VolumeLevel[] {
  const levels: VolumeLevel[] = [{ dims, factors: wholeFactors }];
  for (let stride = 2; ; stride *= 2) {
    const { factors: before, dims: last } = levels.at(-1) as VolumeLevel;
    const factorAlong = (axis: 0 | 1 | 2) => (dims[axis] / stride >= shortest ? stride : before[axis]);
    const factors: Dims3 = [factorAlong(0), factorAlong(1), factorAlong(2)];
    if (last[0] * last[1] * last[2] <= fewVoxels || factors.join() === before.join()) return levels;
    const lengthAlong = (axis: 0 | 1 | 2) => Math.ceil(dims[axis] / factors[axis]);
    levels.push({ dims: [lengthAlong(0), lengthAlong(1), lengthAlong(2), dims[3]], factors });
  }
}

/** The layout of the reads that a box takes. */
function layoutOf(info: VolumeInfo, factors: Dims3, { first, size, timePoint }: LevelBox, near: number) {
  const width = elementBytes(info.type);
  const [nx, ny, nz] = info.dims;
  const [fx, fy, fz] = factors;
  const step = nx * width * fy;
  const span = ((size[0] - 1) * fx + 1) * width;
  const fitting = step - span <= near ? Math.max(1, Math.floor(runBytes / step)) : 1;
  const runs: Run[] = [];
  for (let z = 0; z < size[2]; z++) {
    for (let y = 0; y < size[1]; y += fitting) runs.push({ z, y, rows: Math.min(fitting, size[1] - y) });
  }
  return {
    width,
    step,
    /** Bytes from one voxel of a row to the next. */
    stride: fx * width,
    runs,
    bytesOf: ({ rows }: Run) => (rows - 1) * step + span,
    startOf: ({ z, y }: Run) =>
      (((timePoint * nz + (first[2] + z) * fz) * ny + (first[1] + y) * fy) * nx + first[0] * fx) * width,
  };
}

async function readRuns(
  { fill, info }: Source,
  layout: ReturnType<typeof layoutOf>,
  { size }: LevelBox,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const { width, step, stride } = layout;
  const [columns, rows, planes] = size;
  const target = new Uint8Array(columns * rows * planes * elementBytes(info.type));
  const waiting = layout.runs.values();
  let isFailed = false;
  const readNext = async () => {
    for (const run of waiting) {
      if (isFailed) return;
      throwIfAborted(signal);
      const bytes = new Uint8Array(layout.bytesOf(run));
      await fill?.(bytes, layout.startOf(run), { signal });
      for (let row = 0; row < run.rows; row++) {
        const to = (run.z * rows + run.y + row) * columns * width;
        const from = row * step;
        if (stride === width) target.set(bytes.subarray(from, from + columns * width), to);
        else copyStrided(bytes, from, stride, target, to, columns, width);
      }
    }
  };
  const readers = Array.from({ length: readsAtOnce }, () =>
    readNext().catch((error: unknown) => {
      isFailed = true;
      throw error;
    }),
  );
  await Promise.all(readers);
  return target;
}

function copyStrided(
  bytes: Uint8Array,
  from: number,
  stride: number,
  target: Uint8Array,
  to: number,
  count: number,
  width: number,
): void {
  for (let column = 0; column < count; column++) {
    for (let byte = 0; byte < width; byte++) target[to + column * width + byte] = bytes[from + column * stride + byte] as number;
  }
}
