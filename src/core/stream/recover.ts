import { constantChecksum } from '../chunks/analyze.ts';
import { type ChunkPlace, placeOf } from '../chunks/chunk-place.ts';
import type { ConstantChunk } from '../format/chunk.ts';
import { codecElementBytes } from '../format/chunk-grid.ts';
import { ContainerWriter } from '../format/container-writer.ts';
import { type RecoveredContainer, recoverContainer } from '../format/recover.ts';
import { checkPictures } from '../io/pictures/check-pictures.ts';
import type { ByteSink, ByteSource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import type { SourceDescription } from '../shared/source.ts';
import { nextTurn } from '../shared/turn.ts';
import { type Dims3, volumeBytes } from '../shared/volume.ts';
import { rawSource } from './memory-volume.ts';
import { writingTo } from './pipeline.ts';
import { maxListed } from './verify.ts';

export interface RecoverReport {
  readonly chunkCount: number;
  readonly wholeCount: number;
  readonly lostCount: number;
  /** The first `maxListed` lost chunks, in order: their voxels are zero in the new file. */
  readonly lost: readonly ChunkPlace[];
  /** Whether the source's own header is kept: if not, the new file says that it came from a raw one. */
  readonly sourceKept: boolean;
  /** What was damaged or missing, in sentences. */
  readonly problems: readonly string[];
  readonly voxelBytes: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/**
 * Writes a sound container from every whole chunk of a damaged one; what is lost becomes zero, and is listed. The sink is
 * closed when all is written, and aborted, once, when anything fails.
 * @throws StriaError `corrupt` where no header is left; `not-readable`, `not-writable`, `aborted`
 */
export function recoverVolume(source: ByteSource, sink: ByteSink, job: JobOptions = {}): Promise<RecoverReport> {
  return writingTo([sink], async () => {
    throwIfAborted(job.signal);
    const recovered = await recoverContainer(source, { signal: job.signal });
    return rewrite(recovered, source.size, sink, job);
  });
}

/** What the source's files can be written by; undefined where a damaged or forged description does not serve. */
function usableSource({ header, source }: RecoveredContainer): { source?: SourceDescription | undefined; problem?: string } {
  try {
    if (source) checkPictures(header.volume, source);
    return { source };
  } catch (error) {
    if (!(error instanceof StriaError)) throw error;
    return { problem: error.fullMessage };
  }
}

async function rewrite(
  recovered: RecoveredContainer,
  bytesIn: number,
  sink: ByteSink,
  { signal, onProgress }: JobOptions,
): Promise<RecoverReport> {
  const { grid } = recovered;
  const { volume, chunkShape } = recovered.header;
  const elementBytes = codecElementBytes(volume.type);
  const { source: own, problem } = usableSource(recovered);
  const source = own ?? rawSource('recovered.raw');
  const writer = await ContainerWriter.create(sink, { volume, chunkShape, sourceFormat: source.format });
  const lost: ChunkPlace[] = [];
  const zeros = new ZeroChunks(elementBytes);
  let lostCount = 0;
  let done = 0;
  for (let number = 0; number < grid.count; number++) {
    if (number % chunksPerTurn === 0) await nextTurn();
    throwIfAborted(signal);
    const { shape } = grid.box(number);
    const chunk = await recovered.readChunk(number, { signal });
    await writer.chunk(number, chunk ?? zeros.ofShape(shape));
    if (!chunk && lostCount++ < maxListed) lost.push(placeOf(grid, volume.type, number));
    if ((number + 1) % grid.chunksPerLayer === 0) await writer.flushIndex();
    done += shape[0] * shape[1] * shape[2] * elementBytes;
    onProgress?.({ stage: 'Recovering', done, total: volumeBytes(volume) });
  }
  await writer.finish(source);
  return {
    chunkCount: grid.count,
    wholeCount: grid.count - lostCount,
    lostCount,
    lost,
    sourceKept: own !== undefined,
    problems: problem === undefined ? recovered.problems : [...recovered.problems, problem],
    voxelBytes: volumeBytes(volume),
    bytesIn,
    bytesOut: writer.bytesWritten,
  };
}

/** Constant chunks cost no read, so nothing else would let an abort in. */
const chunksPerTurn = 1024;

/** Chunks of zeros, by shape: a volume has eight shapes at most. */
class ZeroChunks {
  readonly #chunks = new Map<string, ConstantChunk>();
  readonly #elementBytes: 1 | 2 | 4;

  constructor(elementBytes: 1 | 2 | 4) {
    this.#elementBytes = elementBytes;
  }

  ofShape(shape: Dims3): ConstantChunk {
    const known = this.#chunks.get(shape.join());
    if (known) return known;
    const element = new Uint8Array(this.#elementBytes);
    const decodedChecksum = constantChecksum(element, { shape, elementBytes: this.#elementBytes });
    const chunk: ConstantChunk = { kind: 'constant', element, decodedChecksum };
    this.#chunks.set(shape.join(), chunk);
    return chunk;
  }
}
