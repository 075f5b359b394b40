import { checksum } from '../core/format/checksum.ts';
import type { CodedChunk, EncodedChunk } from '../core/format/chunk.ts';
import { joinRecords, splitRecords, writeContainer } from '../core/format/container-testing.ts';
import type { TestFile } from '../core/io/common/source-testing.ts';
import { joined, mutateBytes, mutateText } from './mutate.ts';
import type { ContainerOriginal, InputOriginal } from './originals.ts';
import type { OtherOriginal } from './other-originals.ts';
import { Random } from './random.ts';

/** A damaged file, or several that belong together. */
export interface FuzzCase {
  readonly name: string;
  readonly files: readonly TestFile[];
  /** The original with the expected voxels, unless an error is thrown. */
  readonly voxelsOf?: ContainerOriginal;
  readonly kind: 'container' | 'input' | 'answers' | OtherOriginal['kind'];
  /** Seed of a server's responses. A server has no files. */
  readonly answersSeed?: number;
  /** As in `InputOriginal`. */
  readonly comesBack?: boolean;
  /** As in `InputOriginal`. */
  readonly isFolder?: boolean;
}

export interface Originals {
  readonly containers: readonly ContainerOriginal[];
  readonly inputs: readonly InputOriginal[];
  readonly others: readonly OtherOriginal[];
}

/** What a run damages: everything, only inputs, or only files that are neither containers nor volumes. */
export type FuzzChoice = 'all' | 'inputs' | 'others';

/** Case `number` of a seed. Deterministic. */
export async function caseOf(seed: number, number: number, originals: Originals, choice: FuzzChoice = 'all'): Promise<FuzzCase> {
  const random = new Random(seed, number);
  if (choice === 'others' || (choice === 'all' && random.oneIn(12))) return otherCase(originals, random);
  return choice === 'inputs' || random.oneIn(3) ? inputCase(originals, random) : containerCase(originals, random);
}

/** One case in five is a server. */
function otherCase({ others }: Originals, random: Random): FuzzCase {
  if (random.oneIn(5)) return { name: 'answers of a server', files: [], kind: 'answers', answersSeed: random.bits() };
  const { kind, name, files, isText, isFolder } = random.pick(others);
  const hit = random.below(files.length);
  const other = random.pick(random.pick(others).files).bytes;
  const mutate = isText ? mutateText : mutateBytes;
  const mutants = files.map((file, at) => (at === hit ? { ...file, bytes: mutate(file.bytes, random, other) } : file));
  return { name: `${kind} ${name}`, files: mutants, kind, ...(isFolder && { isFolder }) };
}

function inputCase({ inputs }: Originals, random: Random): FuzzCase {
  const { name, files, isText, comesBack = false, isFolder = false } = random.pick(inputs);
  const hit = random.below(files.length);
  const other = random.pick(random.pick(inputs).files).bytes;
  const mutants = files.map(({ name: fileName, bytes }, at) => {
    if (at !== hit) return { name: fileName, bytes };
    return { name: fileName, bytes: isText[at] ? mutateHead(bytes, random, other) : mutateBytes(bytes, random, other) };
  });
  return { name: `input ${name}`, files: mutants, kind: 'input', comesBack, isFolder };
}

/** Damages mostly the text that precedes a file's voxels. */
function mutateHead(bytes: Uint8Array, random: Random, other: Uint8Array): Uint8Array {
  const end = bytes.findIndex((byte, at) => byte === 10 && bytes[at + 1] === 10);
  if (end < 0 || random.oneIn(4)) return mutateText(bytes, random, other);
  const head = mutateText(bytes.subarray(0, end), random, other);
  return joined(head, bytes.subarray(end));
}

async function containerCase({ containers }: Originals, random: Random): Promise<FuzzCase> {
  const original = random.pick(containers);
  const other = random.pick(containers);
  const way = random.below(8);
  const container = (what: string, bytes: Uint8Array, isSameVoxels: boolean): FuzzCase => ({
    name: `${what} of ${original.name}`,
    files: [{ name: 'fuzz.stria', bytes }],
    kind: 'container',
    ...(isSameVoxels ? { voxelsOf: original } : {}),
  });
  // Accidental damage: every checksum detects it.
  if (way === 0) return container('bytes', mutateBytes(original.bytes, random, other.bytes), true);
  if (way < 6) return container('payload', await withMutatedChunk(original, random, other), true);
  // Forged records may validly describe other voxels.
  return container('records', withMutatedRecord(original, random, other), false);
}

/** A container with a valid index and valid record checksums; only a chunk's decoded voxels may be wrong. */
async function withMutatedChunk(original: ContainerOriginal, random: Random, other: ContainerOriginal): Promise<Uint8Array> {
  const coded = original.chunks.flatMap((chunk, number) => (chunk.kind === 'coded' ? [number] : []));
  const chunks: EncodedChunk[] = [...original.chunks];
  const donors = other.chunks.filter((chunk): chunk is CodedChunk => chunk.kind === 'coded');
  for (let left = 1 + random.below(2); left > 0 && coded.length > 0; left--) {
    const number = random.pick(coded);
    chunks[number] = mutateChunk(chunks[number] as CodedChunk, random, donors);
  }
  const { info: volume, chunkShape, source } = original;
  return writeContainer({ volume, chunkShape, sourceFormat: source.format, stored: source.stored }, chunks, source);
}

function mutateChunk(chunk: CodedChunk, random: Random, donors: readonly CodedChunk[]): CodedChunk {
  const donor = donors.length > 0 ? random.pick(donors) : chunk;
  if (random.oneIn(12)) return { ...chunk, stages: donor.stages };
  if (random.oneIn(12)) {
    const stages = chunk.stages.map(({ codecId, parameters }) => {
      const mutant = parameters.length > 0 ? mutateBytes(parameters, random, parameters) : Uint8Array.of(random.below(256));
      return { codecId: random.oneIn(4) ? 1 + random.below(9) : codecId, parameters: mutant.subarray(0, 255) };
    });
    return { ...chunk, stages };
  }
  const payload = mutateBytes(chunk.payload, random, donor.payload);
  return { ...chunk, payload, encodedChecksum: checksum(payload) };
}

function withMutatedRecord(original: ContainerOriginal, random: Random, other: ContainerOriginal): Uint8Array {
  const records = splitRecords(original.bytes);
  const strangers = splitRecords(other.bytes);
  const hit = random.below(records.length);
  const record = records[hit] as (typeof records)[number];
  const isText = ['HEAD', 'head', 'SRCE'].includes(record.type) || (record.type === 'BLOB' && original.info.type.startsWith('u'));
  const donor = (strangers.find(({ type }) => type === record.type) ?? record).body;
  if (random.oneIn(8)) {
    // Records are removed, duplicated or moved.
    const moved = random.oneIn(2) ? [] : [record];
    const rest = random.oneIn(2) ? records : records.filter((_, at) => at !== hit);
    const at = random.below(rest.length);
    return joinRecords([...rest.slice(0, at), ...moved, ...rest.slice(at)], original.bytes);
  }
  if (record.meta.length > 0 && random.oneIn(4)) {
    const meta = mutateBytes(record.meta, random, record.meta);
    record.meta = meta.slice(0, meta.length - (meta.length % 8)).slice(0, 4096);
  } else {
    const mutant = isText ? mutateText(record.body, random, donor) : mutateBytes(record.body, random, donor);
    record.body = mutant;
    // `joinRecords` writes offsets into TAIL, which must be long enough for them.
    if (record.type === 'TAIL' && mutant.length < 56) record.body = joined(mutant, new Uint8Array(56 - mutant.length));
    // Changes both copies of the header alike, so that only its meaning is wrong.
    if (record.type === 'HEAD') for (const copy of records) if (copy.type === 'head') copy.body = record.body;
  }
  return joinRecords(records, original.bytes);
}
