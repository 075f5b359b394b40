import { checksum } from '../format/checksum.ts';
import type { ChunkGrid, ChunkSpan } from '../format/chunk-grid.ts';
import { ContainerReader } from '../format/container-reader.ts';
import type { ContainerHeader } from '../format/header.ts';
import { partName } from '../format/part.ts';
import { isSameAffine } from '../io/common/affine.ts';
import type { ByteSource } from '../shared/bytes.ts';
import { inContext, StriaError } from '../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../shared/job.ts';
import { rangeWords } from '../shared/number-ranges.ts';
import type { Share } from '../shared/part-choice.ts';
import type { SourceDescription } from '../shared/source.ts';
import { lostWords } from '../stream/damage-list.ts';

/** A part's file, opened only while it is read: there may be more than a process may open. */
export interface PartInput {
  /** The file's path in messages. */
  readonly path: string;
  open(): Promise<ByteSource>;
}

/** The contents of all parts of a volume together. */
export interface PartSurvey {
  /** The header of the whole volume. */
  readonly header: ContainerHeader;
  readonly description: SourceDescription;
  /** Every chunk of the volume, in order. */
  readonly spans: readonly PartSpan[];
  readonly bytesIn: number;
}

/** Consecutive chunks and the part that holds them. */
interface PartSpan extends ChunkSpan {
  readonly file: PartInput;
}

/**
 * Reads header, index and source of each part, one part after the other.
 * @throws StriaError `invalid-input` unless each chunk of one volume is in exactly one part; `corrupt`, `not-readable`, `aborted`
 */
export async function surveyParts(inputs: readonly PartInput[], { signal, onProgress }: JobOptions): Promise<PartSurvey> {
  const [leader] = inputs;
  if (!leader) throw new StriaError('invalid-input', 'there are no parts to merge');
  const spans: PartSpan[] = [];
  const shares: Share[] = [];
  let bytesIn = 0;
  let first: FirstPart | undefined;
  for (const [at, file] of inputs.entries()) {
    throwIfAborted(signal);
    try {
      const source = await file.open();
      const reader = await ContainerReader.open(source, { signal });
      const { header } = reader;
      const { part } = header;
      if (!part) throw new StriaError('invalid-input', 'the file holds a whole volume, not a part of one');
      if (reader.lostCount > 0) {
        throw new StriaError('invalid-input', `${lostWords(reader)}; compress ${partName(part, header.volume.type)} again`);
      }
      const description = await reader.sourceDescription({ signal });
      first ??= { path: file.path, header, grid: reader.grid, description, fingerprint: fingerprint(description) };
      const fault = difference(first, header) ?? (fingerprint(description) === first.fingerprint ? undefined : 'source file');
      if (fault !== undefined) {
        throw new StriaError('invalid-input', `it is a part of another volume than ${first.path}: the ${fault} differs`);
      }
      if ('of' in part) shares.push(part);
      for (const span of joined(reader.presentSpans())) spans.push({ ...span, file });
      bytesIn += source.size;
    } catch (error) {
      throw inContext(file.path, error);
    }
    onProgress?.({ stage: 'Checking', done: at + 1, total: inputs.length, counts: 'files' });
  }
  const { header, grid, description } = first as FirstPart;
  spans.sort((a, b) => a.first - b.first);
  refuseDoubled(spans, header);
  refuseMissing(spans, grid, shares, header);
  return { header, description, spans, bytesIn };
}

interface FirstPart {
  readonly path: string;
  readonly header: ContainerHeader;
  readonly grid: ChunkGrid;
  readonly description: SourceDescription;
  readonly fingerprint: string;
}

/** Joins spans that touch. */
function* joined(spans: Iterable<ChunkSpan>): Generator<ChunkSpan> {
  let last: { first: number; count: number } | undefined;
  for (const { first, count } of spans) {
    if (last && last.first + last.count === first) last.count += count;
    else {
      if (last) yield last;
      last = { first, count };
    }
  }
  if (last) yield last;
}

/** Each piece derives the affine of the whole volume from its own, so the last digits may differ. */
const affineTolerance = 1e-5;

/** The property in which a part's header differs from the first one's. Undefined if they agree. */
function difference({ header: a }: FirstPart, b: ContainerHeader): string | undefined {
  const { affine: affineA, ...volumeA } = a.volume;
  const { affine: affineB, ...volumeB } = b.volume;
  const facts = Object.keys({ ...volumeA, ...volumeB }) as (keyof typeof volumeA)[];
  const fact = facts.find((key) => JSON.stringify(volumeA[key]) !== JSON.stringify(volumeB[key]));
  if (fact !== undefined) return factNames[fact] ?? fact;
  if (a.chunkShape.join() !== b.chunkShape.join()) return 'chunk shape';
  if (a.sourceFormat !== b.sourceFormat) return 'source format';
  if (kindOf(a) !== kindOf(b)) return 'division into parts';
  return isSameAffine(affineA, affineB, affineTolerance) ? undefined : 'affine';
}

const factNames: Readonly<Record<string, string>> = { dims: 'size', type: 'voxel type' };

/** Reports shares of different divisions as such. Otherwise they would be reported as overlaps or gaps, which is harder to understand. */
function kindOf({ part }: ContainerHeader): string {
  return part && 'of' in part ? `of ${part.of}` : 'pieces';
}

function fingerprint(source: SourceDescription): string {
  const parts = source.parts.map(({ name, hasVoxels, before, after }) => [name, hasVoxels, sumOf(before), sumOf(after)]);
  return JSON.stringify([source.format, source.endian, source.stored, parts]);
}

function sumOf(bytes: Uint8Array): readonly number[] {
  const { sum, cross } = checksum(bytes, bytes.byteLength);
  return [bytes.byteLength, sum, cross];
}

function refuseDoubled(spans: readonly PartSpan[], header: ContainerHeader): void {
  for (const [at, span] of spans.entries()) {
    const last = spans[at - 1];
    if (!last || last.first + last.count <= span.first) continue;
    const what = header.part && 'of' in header.part ? 'both hold the same part' : 'overlap';
    throw new StriaError('invalid-input', `${last.file.path} and ${span.file.path} ${what} of the volume`);
  }
}

function refuseMissing(spans: readonly PartSpan[], grid: ChunkGrid, shares: readonly Share[], { volume }: ContainerHeader): void {
  let next = 0;
  let missing: ChunkSpan | undefined;
  for (const { first, count } of [...spans, { first: grid.count, count: 0 }]) {
    if (first > next) missing ??= { first: next, count: first - next };
    next = first + count;
  }
  if (!missing) return;
  if (shares.length > 0) {
    const { of } = shares[0] as Share;
    const found = new Set(shares.map(({ number }) => number));
    const verb = of - found.size === 1 ? 'is' : 'are';
    throw new StriaError('invalid-input', `of ${of} parts, ${rangeWords(missingNumbers(found, of))} ${verb} missing`);
  }
  const [x, y, z] = grid.box(missing.first).origin;
  const at = [volume.type === 'f64' ? x / 2 : x, y, z].join(', ');
  throw new StriaError('invalid-input', `a piece is missing: no file holds the voxels from ${at} on`);
}

/** The numbers from 1 to `of` that were not found. */
function* missingNumbers(found: ReadonlySet<number>, of: number): Generator<ChunkSpan> {
  for (let number = 1; number <= of; number++) {
    if (found.has(number)) continue;
    const first = number;
    while (number < of && !found.has(number + 1)) number++;
    yield { first, count: number - first + 1 };
  }
}
