import { chooseCodecs } from '../chunks/choose.ts';
import type { CodecDefinition, CodecElementBytes } from '../codec/codec.ts';
import { codecs } from '../codecs/registry.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { chunkGridOf } from '../format/chunk-grid.ts';
import { levelVolume } from '../format/level.ts';
import { StriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import type { Dims3, VolumeInfo } from '../shared/volume.ts';
import type { Brick } from './brick.ts';
import type { BrickLevel, BrickPlace, BrickSource } from './brick-source.ts';

/** The number of kinds of content: each codec has this many chunks of each shape. */
const looks = 3;
/** How many of 16 bricks are constant. */
const constantOf16 = 6;
/** The maximum number of kept chunks, which holds all chunks of a volume of 1 TiB in three codecs. */
const mostKept = 2048;

/**
 * A volume of any size whose chunks are computed on request: the same ones each time, by every codec in turn. There are few different
 * chunks, so that computing them costs little. For tests and benchmarks.
 */
export class ComputedBricks implements BrickSource {
  readonly info: VolumeInfo;
  readonly levels: readonly BrickLevel[];
  readonly #made = new Map<string, EncodedChunk>();
  readonly #ways: readonly CodecDefinition[];
  readonly #onRead: (bricks: readonly Brick[], options: JobOptions) => Promise<void>;

  /**
   * @param side of the cube, in voxels of 8 bits: 10,322 of them are 1 TiB
   * @param brick the side of a brick
   * @param onRead is awaited before chunks are returned; it may delay or reject a read
   * @param ways the codecs of its chunks
   */
  constructor(
    side: number,
    brick = 64,
    onRead: (bricks: readonly Brick[], options: JobOptions) => Promise<void> = async () => {},
    ways: readonly CodecDefinition[] = codecs,
  ) {
    this.#onRead = onRead;
    this.#ways = ways;
    this.info = {
      dims: [side, side, side, 1],
      type: 'u8',
      spacing: [1, 1, 1, 1],
      spatialUnit: 'mm',
      timeUnit: 's',
      affine: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0],
      slope: 1,
      intercept: 0,
    };
    const levels: BrickLevel[] = [];
    for (let factor = 1; ; factor *= 2) {
      const factors: Dims3 = [factor, factor, factor];
      const volume = factor === 1 ? this.info : levelVolume(this.info, factors);
      const length = Math.min(brick, volume.dims[0]);
      levels.push({ grid: chunkGridOf(volume, [length, length, length]), factors });
      if (volume.dims[0] <= 2 * brick) break;
    }
    this.levels = levels;
  }

  place(brick: Brick): BrickPlace {
    const chunk = this.chunk(brick);
    return { payloadBytes: chunk.kind === 'coded' ? chunk.payload.byteLength : 0 };
  }

  async read(bricks: readonly Brick[], options: JobOptions = {}): Promise<readonly EncodedChunk[]> {
    await this.#onRead(bricks, options);
    throwIfAborted(options.signal);
    return bricks.map((brick) => {
      const chunk = this.chunk(brick);
      return chunk.kind === 'coded' ? { ...chunk, payload: chunk.payload.slice() } : chunk;
    });
  }

  chunk({ level, number }: Brick): EncodedChunk {
    const found = this.levels[level];
    if (!found) throw new StriaError('internal', `there is no level ${level}`);
    const mixed = mix(number + 1_000_003 * level);
    const { shape } = found.grid.box(number);
    // The coarsest level has no constant bricks, so that it always shows something.
    const isConstant = mixed % 16 < constantOf16 && level + 1 < this.levels.length;
    return this.#chunkOf(shape, isConstant ? -1 : (mixed >>> 4) % this.#ways.length, (mixed >>> 12) % looks);
  }

  /** Computes all chunks, so that later requests cost nothing. */
  computeAll(): void {
    for (const { grid } of this.levels) {
      const [nx, ny, nz] = grid.counts;
      // The first and the last brick along an axis have all lengths that occur.
      const corners = [0, nx - 1].flatMap((x) => [0, ny - 1].flatMap((y) => [0, nz - 1].map((z) => (z * ny + y) * nx + x)));
      for (const number of corners) {
        const { shape } = grid.box(number);
        for (let look = 0; look < looks; look++)
          for (let way = -1; way < this.#ways.length; way++) this.#chunkOf(shape, way, look);
      }
    }
  }

  /** @param way the index of its codec; −1 for a constant chunk */
  #chunkOf(shape: Dims3, way: number, look: number): EncodedChunk {
    const key = `${shape} ${way} ${look}`;
    const known = this.#made.get(key);
    if (known) return known;
    if (this.#made.size >= mostKept) this.#made.clear();
    const made = way < 0 ? constantOf(look) : encoded(shape, this.#ways[way], look);
    this.#made.set(key, made);
    return made;
  }

  /** The voxels of a brick, x fastest. */
  voxels(brick: Brick): Uint8Array<ArrayBuffer> {
    const { grid } = this.levels[brick.level] as BrickLevel;
    const { shape } = grid.box(brick.number);
    const mixed = mix(brick.number + 1_000_003 * brick.level);
    const chunk = this.chunk(brick);
    const look = (mixed >>> 12) % looks;
    if (chunk.kind === 'constant') return new Uint8Array(shape[0] * shape[1] * shape[2]).fill(constantValue(look));
    return voxelsOf(shape, look);
  }
}

const noChecksum = { sum: 0, cross: 0 };
const elementBytes: CodecElementBytes = 1;

function constantValue(look: number): number {
  return 10 * look;
}

function constantOf(look: number): EncodedChunk {
  return { kind: 'constant', element: Uint8Array.of(constantValue(look)), decodedChecksum: noChecksum };
}

/** Smooth shells with some steps. */
function voxelsOf([x, y, z]: Dims3, look: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(x * y * z);
  for (let at = 0; at < bytes.length; at++) {
    const [inX, inY, inZ] = [at % x, Math.floor(at / x) % y, Math.floor(at / x / y)];
    const away = Math.hypot(inX - x / 2, inY - y / 2, inZ - z / 2) / x;
    bytes[at] = away > 0.5 ? 10 * look : Math.round(60 * look + 120 * (0.5 - away)) + ((inX >> 3) & 1);
  }
  return bytes;
}

function encoded(shape: Dims3, codec: CodecDefinition | undefined, look: number): EncodedChunk {
  if (!codec) throw new StriaError('internal', 'there is no codec');
  const chunk = { bytes: voxelsOf(shape, look), shape, elementBytes };
  const changes = shape.map(() => chunk.bytes.length) as unknown as Dims3;
  const survey = () => {
    throw new StriaError('internal', 'a named codec needs no survey');
  };
  const [{ parameters }] = chooseCodecs({ changes }, chunk, { codec: [codec], options: { axis: 'auto' } }, survey);
  const payload = codec.reference.encode(chunk, parameters);
  return {
    kind: 'coded',
    stages: [{ codecId: codec.id, parameters }],
    payload,
    encodedChecksum: noChecksum,
    decodedChecksum: noChecksum,
  };
}

/** Spreads numbers over 32 bits (the finalizer of MurmurHash3). */
function mix(number: number): number {
  let bits = number >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
