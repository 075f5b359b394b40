import type { OpenVolume } from '../../io/common/volume-reader.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { type Dims3, elementBytes, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import type { StreamedLevels } from '../../shared/volume-level.ts';

/** A piece holds whole voxels of any type. */
const pieceBytes = 2 ** 22;
/** Rows of a plane that are read together at most. They touch few rows of chunks. */
const rowsAtOnce = 64;

/** Reads voxels of a file without levels anywhere: of a plain file, or of one that stores chunks. */
export interface RandomAccess {
  /** As `OpenVolume.fill`. */
  readonly fill: NonNullable<OpenVolume['fill']>;
  /** The voxels of a time point in order (x fastest, then y, z), in pieces of any size. @throws as `OpenVolume.voxels` */
  voxelsAt(timePoint: number, job?: JobOptions): AsyncIterable<Uint8Array<ArrayBuffer>>;
  /** Call it once. */
  close(): void;
}

/** Undefined if the file can only be read in order, or has levels of its own. @throws StriaError like the reader */
export async function randomAccess({ info, fill, leveled }: OpenVolume, job: JobOptions = {}): Promise<RandomAccess | undefined> {
  if (fill) return { fill, voxelsAt: (timePoint, options) => piecesOf(info, fill, timePoint, options), close() {} };
  const whole = await leveled?.(job);
  if (whole?.levels.length === 1) {
    return {
      fill: (target, start, options) => fillFromBoxes(info, whole, target, start, options),
      voxelsAt: (timePoint, options) => whole.voxels(0, { ...options, timePoint }),
      close: () => whole.close(),
    };
  }
  whole?.close();
  return undefined;
}

async function* piecesOf(
  { dims: [x, y, z], type }: VolumeInfo,
  fill: RandomAccess['fill'],
  timePoint: number,
  { signal }: JobOptions = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const bytes = volumeBytes({ dims: [x, y, z, 1], type });
  for (let start = 0; start < bytes; start += pieceBytes) {
    throwIfAborted(signal);
    const piece = new Uint8Array(Math.min(pieceBytes, bytes - start));
    await fill(piece, timePoint * bytes + start, { signal });
    yield piece;
  }
}

/** Reads whole rows, and takes from them the bytes that are wanted. */
async function fillFromBoxes(
  { dims: [width, height, depth], type }: VolumeInfo,
  { read }: Pick<StreamedLevels, 'read'>,
  target: Uint8Array<ArrayBuffer>,
  start: number,
  { signal }: JobOptions = {},
): Promise<void> {
  const rowBytes = width * elementBytes(type);
  const end = start + target.byteLength;
  for (let row = Math.floor(start / rowBytes); row * rowBytes < end; ) {
    const [y, plane] = [row % height, Math.floor(row / height)];
    const rows = Math.min(rowsAtOnce, height - y, Math.ceil(end / rowBytes) - row);
    const [first, size]: [Dims3, Dims3] = [
      [0, y, plane % depth],
      [width, rows, 1],
    ];
    const bytes = await read({ level: 0, first, size, timePoint: Math.floor(plane / depth) }, { signal });
    const from = Math.max(start, row * rowBytes);
    const until = Math.min(end, (row + rows) * rowBytes);
    target.set(bytes.subarray(from - row * rowBytes, until - row * rowBytes), from - start);
    row += rows;
  }
}
