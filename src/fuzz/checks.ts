import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeSink } from '../cli/outputs/node-sink.ts';
import type { Backend } from '../core/chunks/backend.ts';
import { ContainerReader } from '../core/format/container-reader.ts';
import type { OpenVolume } from '../core/io/common/volume-reader.ts';
import { openVolume } from '../core/io/open-volume.ts';
import { type ByteSink, memorySink, memorySource } from '../core/shared/bytes.ts';
import { type FaultTag, type StriaError, toStriaError } from '../core/shared/errors.ts';
import { isPictureFormat } from '../core/shared/source.ts';
import { elementBytes, swapBytes, volumeBytes } from '../core/shared/volume.ts';
import { compressVolume } from '../core/stream/compress.ts';
import { lostWords } from '../core/stream/damage-list.ts';
import { recoverVolume } from '../core/stream/recover.ts';
import { restoreVolume } from '../core/stream/restore.ts';
import { type VerifyReport, verifyContainer } from '../core/stream/verify.ts';
import type { FuzzCase } from './cases.ts';
import { joined } from './mutate.ts';
import { siblingsOf } from './originals.ts';

/** What a damaged file may end in. Anything else is a finding. */
const allowedTags: ReadonlySet<FaultTag> = new Set(['corrupt', 'unsupported', 'invalid-input', 'not-readable', 'aborted']);

/** A large volume is given up after this time, and must then be given up at once. */
const budgetMs = 2000;
/** Outputs are kept for comparison up to this size. */
const keptBytes = 2 ** 24;
/** What the GPU is tried with, at most: in software it is slow. */
const gpuBytes = 2 ** 16;

export interface Backends {
  readonly cpu: Backend;
  readonly gpu?: Backend | undefined;
}

/** Something that must not be: the fuzz's findings. */
export class Finding extends Error {}

/** Runs a case. @throws Finding, and whatever else should not be thrown */
export async function check(fuzzCase: FuzzCase, backends: Backends): Promise<void> {
  if (fuzzCase.isContainer) await checkContainer(fuzzCase, backends);
  else await checkInput(fuzzCase, backends);
}

/** The value, or the fault, of a kind that files may have. @throws Finding */
async function outcome<T>(what: string, work: () => Promise<T>): Promise<{ readonly value: T } | { readonly fault: StriaError }> {
  try {
    return { value: await work() };
  } catch (error) {
    const fault = toStriaError(error);
    if (allowedTags.has(fault.tag)) return { fault };
    throw new Finding(`${what}: ${fault.tag}: ${fault.fullMessage}\n${(fault.cause as Error | undefined)?.stack ?? fault.stack}`);
  }
}

const job = () => ({ signal: AbortSignal.timeout(budgetMs) });

async function checkContainer({ files, voxelsOf }: FuzzCase, { cpu, gpu }: Backends): Promise<void> {
  const { bytes } = files[0] as FuzzCase['files'][number];
  const source = memorySource('fuzz.stria', bytes);
  await checkRecovery(bytes, cpu);
  const opened = await outcome('open', () => ContainerReader.open(source));
  if ('fault' in opened) return;
  const reader = opened.value;
  const verified = await outcome('verify', () => verifyContainer(reader, { backend: cpu }, job()));
  const report = 'value' in verified ? verified.value : undefined;
  if (gpu && report && volumeBytes(reader.header.volume) <= gpuBytes) await compareVerdicts(reader, report, gpu);

  const kept = new KeptFiles();
  const restored = await outcome('decompress', () =>
    restoreVolume(reader, kept.makeSink, { backend: cpu, baseName: 'fuzz' }, job()),
  );
  if ('fault' in restored) {
    if (report?.sound && restored.fault.tag === 'corrupt') {
      throw new Finding(`verify says sound, decompress: ${restored.fault.fullMessage}`);
    }
    if (kept.closedBytes() !== undefined && !isPictureFormat(reader.header.sourceFormat)) {
      throw new Finding(`a file was finished though decompress failed: ${restored.fault.fullMessage}`);
    }
    await checkNothingIsLeft(reader, cpu);
    return;
  }
  if (voxelsOf) await compareVoxels(reader, cpu, voxelsOf.voxels);
}

/** What decompresses has these voxels. */
async function compareVoxels(reader: ContainerReader, backend: Backend, expected: Uint8Array): Promise<void> {
  const kept = new KeptFiles();
  const settings = { backend, baseName: 'fuzz', to: 'raw' } as const;
  const restored = await outcome('decompress --to raw', () => restoreVolume(reader, kept.makeSink, settings, job()));
  const voxels = 'value' in restored ? kept.closedBytes()?.slice() : undefined;
  if (!voxels) return;
  // Raw voxels come in the source's order.
  const { endian } = await reader.sourceDescription();
  if (endian === 'big') swapBytes(voxels, elementBytes(reader.header.volume.type));
  if (Buffer.compare(voxels, expected) !== 0) throw new Finding('other voxels were decompressed, and no error said so');
}

async function compareVerdicts(reader: ContainerReader, cpu: VerifyReport, backend: Backend): Promise<void> {
  const verified = await outcome('verify on the GPU', () => verifyContainer(reader, { backend }, {}));
  if ('fault' in verified) {
    // Chunks that begin inside a word are for the CPU alone.
    if (verified.fault.tag === 'unsupported') return;
    throw new Finding(`the GPU does not verify what the CPU does: ${verified.fault.fullMessage}`);
  }
  const verdict = ({ sound, damaged, problems }: VerifyReport) =>
    JSON.stringify({ sound, damaged: damaged.map(({ chunk }) => chunk), problems });
  if (verdict(verified.value) !== verdict(cpu)) {
    throw new Finding(`CPU: ${verdict(cpu)} ${cpu.damaged[0]?.message ?? ''}\nGPU: ${verdict(verified.value)}`);
  }
}

/** Decompresses once more by the command's own sinks, knowing that it fails: no output, and nothing beside it. */
async function checkNothingIsLeft(reader: ContainerReader, backend: Backend): Promise<void> {
  if (isPictureFormat(reader.header.sourceFormat)) return;
  const folder = await mkdtemp(join(tmpdir(), 'stria-fuzz-'));
  try {
    const makeSink = (name: string) =>
      createNodeSink(join(folder, name.replace(/[^a-z.]/gi, '_').slice(-99)), { overwrite: false });
    await outcome('decompress', () => restoreVolume(reader, makeSink, { backend, baseName: 'fuzz' }, job()));
    const left = await readdir(folder);
    if (left.length > 0) throw new Finding(`a decompression that failed left ${left.join(', ')}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function checkRecovery(bytes: Uint8Array, backend: Backend): Promise<void> {
  const sink = limitedSink();
  const recovered = await outcome('recover', () => recoverVolume(memorySource('fuzz.stria', bytes), sink, {}, job()));
  const file = 'value' in recovered ? sink.kept() : undefined;
  if (!file) return;
  const opened = await outcome('open what was recovered', () => ContainerReader.open(memorySource('r.stria', file)));
  if ('fault' in opened) throw new Finding(`what was recovered does not open: ${opened.fault.fullMessage}`);
  // Chunks are recovered by their encoded bytes: what they decode to, and whether the samples fit, is verify's to say.
  const verified = await outcome('verify what was recovered', () => verifyContainer(opened.value, { backend }, job()));
  const found = 'value' in verified ? verified.value.problems : [];
  const { lostCount } = opened.value;
  const isExpected = (problem: string) =>
    /more than \d bits hold/.test(problem) || (lostCount > 0 && problem === lostWords(opened.value));
  const problems = found.filter((problem) => !isExpected(problem));
  if (problems.length > 0) throw new Finding(`what was recovered has problems: ${problems.join('; ')}`);
}

async function checkInput({ files, comesBack }: FuzzCase, { cpu }: Backends): Promise<void> {
  const [file] = files as [FuzzCase['files'][number]];
  const options = { siblings: siblingsOf(files) };
  const opened = await outcome('open', () => openVolume(memorySource(file.name, file.bytes), { ...options, ...job() }));
  if ('fault' in opened) return;
  const read = await readVoxels(opened.value);
  const sink = limitedSink();
  const again = await openVolume(memorySource(file.name, file.bytes), options);
  const choice = { codec: 'auto', options: { axis: 'auto' } } as const;
  const compressed = await outcome('compress', () => compressVolume(again, sink, { backend: cpu, choice }, job()));
  const container = 'value' in compressed ? sink.kept() : undefined;
  if (!container || !read) return;
  const reader = await ContainerReader.open(memorySource('fuzz.stria', container));
  const verified = await outcome('verify', () => verifyContainer(reader, { backend: cpu }, job()));
  if ('value' in verified && !verified.value.sound) {
    throw new Finding(
      `compressed, and then unsound: ${verified.value.problems.join('; ')} ${verified.value.damaged[0]?.message}`,
    );
  }
  const kept = new KeptFiles();
  const restored = await outcome('decompress', () =>
    restoreVolume(reader, kept.makeSink, { backend: cpu, baseName: 'fuzz' }, job()),
  );
  if ('fault' in restored) {
    if (restored.fault.tag === 'aborted') return;
    throw new Finding(`compressed, and then not decompressed: ${restored.fault.fullMessage}`);
  }
  if (isPictureFormat(reader.header.sourceFormat)) {
    await comparePictures(kept, read);
    return;
  }
  await compareVoxels(reader, cpu, read);
  for (const { name, bytes } of comesBack ? files : []) {
    const own = kept.bytes(name);
    if (own && Buffer.compare(own, bytes) !== 0) throw new Finding(`${name} does not come back byte for byte`);
  }
}

/** All voxels; undefined where they end in a fault, or are many. @throws Finding */
async function readVoxels(volume: OpenVolume): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const read = await outcome('read', async () => {
    for await (const piece of volume.voxels(job())) {
      length += piece.length;
      if (length <= keptBytes) pieces.push(piece.slice());
    }
  });
  if ('fault' in read) return undefined;
  if (length !== volumeBytes(volume.info)) {
    throw new Finding(`${length} bytes of voxels came, the header says ${volumeBytes(volume.info)}`);
  }
  return length <= keptBytes ? joined(...pieces) : undefined;
}

/** Pictures that were written are opened again: the pixels are the same. */
async function comparePictures(kept: KeptFiles, expected: Uint8Array): Promise<void> {
  const pictures = kept.names().map((name) => ({ name, bytes: kept.bytes(name) }));
  const [only, ...others] = pictures;
  if (!only?.bytes || others.length > 0) return;
  const opened = await outcome('open what was decompressed', () => openVolume(memorySource(only.name, only.bytes as Uint8Array)));
  if ('fault' in opened) throw new Finding(`the picture that was written does not open: ${opened.fault.fullMessage}`);
  const read = await readVoxels(opened.value);
  if (!read || Buffer.compare(read, expected) !== 0) throw new Finding('the picture that was written has other pixels');
}

/** A sink in memory that keeps what is small, and counts the rest. */
function limitedSink(): ByteSink & { kept(): Uint8Array | undefined } {
  const sink = memorySink();
  let length = 0;
  let isClosed = false;
  return {
    async write(bytes) {
      length += bytes.byteLength;
      if (length <= keptBytes) await sink.write(bytes);
    },
    async close() {
      isClosed = true;
    },
    abort: () => sink.abort(),
    kept: () => (isClosed && length <= keptBytes ? sink.bytes() : undefined),
  };
}

class KeptFiles {
  readonly #sinks = new Map<string, ReturnType<typeof limitedSink>>();

  readonly makeSink = async (name: string): Promise<ByteSink> => {
    const sink = limitedSink();
    this.#sinks.set(name, sink);
    return sink;
  };

  names(): readonly string[] {
    return [...this.#sinks.keys()];
  }

  /** Of a file that was finished and is not too large. */
  bytes(name: string): Uint8Array | undefined {
    return this.#sinks.get(name)?.kept();
  }

  /** Of the first file that was finished. */
  closedBytes(): Uint8Array | undefined {
    return this.names()
      .map((name) => this.bytes(name))
      .find((bytes) => bytes !== undefined);
  }
}
