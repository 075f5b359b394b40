import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeSink } from '../cli/outputs/node-sink.ts';
import type { Backend } from '../core/chunks/backend.ts';
import { ContainerReader } from '../core/format/container-reader.ts';
import { memoryTree } from '../core/io/common/file-tree.ts';
import type { OpenVolume } from '../core/io/common/volume-reader.ts';
import { openVolume } from '../core/io/open-volume.ts';
import { type ByteSink, memorySink, memorySource } from '../core/shared/bytes.ts';
import { isPictureFormat } from '../core/shared/source.ts';
import { elementBytes, swapBytes, volumeBytes } from '../core/shared/volume.ts';
import { recoverVolume } from '../core/stream/check/recover.ts';
import { type VerifyReport, verifyContainer } from '../core/stream/check/verify.ts';
import { compressVolume } from '../core/stream/compress/compress.ts';
import { lostWords } from '../core/stream/damage-list.ts';
import { restoreVolume } from '../core/stream/restore/restore.ts';
import { checkAnswers } from './answers.ts';
import type { FuzzCase } from './cases.ts';
import { joined } from './mutate.ts';
import { siblingsOf } from './originals.ts';
import { checkLabels, checkMatrix, checkMesh, checkParticles } from './other-checks.ts';
import { Finding, job, outcome } from './outcome.ts';

/** Outputs up to this size are kept for comparison. */
const keptBytes = 2 ** 24;
/** The largest input that is also tried on the GPU, which is slow in software. */
const gpuBytes = 2 ** 16;

export interface Backends {
  readonly cpu: Backend;
  readonly gpu?: Backend | undefined;
}

/** Runs a case. @throws Finding, or any error that should not have been thrown */
export async function check(fuzzCase: FuzzCase, backends: Backends): Promise<void> {
  const { kind, answersSeed = 0 } = fuzzCase;
  if (kind === 'container') await checkContainer(fuzzCase, backends);
  if (kind === 'input') await checkInput(fuzzCase, backends);
  if (kind === 'particles') await checkParticles(fuzzCase);
  if (kind === 'labels') await checkLabels(fuzzCase);
  if (kind === 'mesh') await checkMesh(fuzzCase);
  if (kind === 'matrix') await checkMatrix(fuzzCase);
  if (kind === 'answers') await checkAnswers(answersSeed);
}

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
      throw new Finding(`verify calls it sound, but decompress fails: ${restored.fault.fullMessage}`);
    }
    if (kept.closedBytes() !== undefined && !isPictureFormat(reader.header.sourceFormat)) {
      throw new Finding(`a file was finished although decompress failed: ${restored.fault.fullMessage}`);
    }
    await checkNothingIsLeft(reader, cpu);
    return;
  }
  if (voxelsOf) await compareVoxels(reader, cpu, voxelsOf.voxels);
}

/** Checks that decompression gives these voxels. */
async function compareVoxels(reader: ContainerReader, backend: Backend, expected: Uint8Array): Promise<void> {
  const kept = new KeptFiles();
  const settings = { backend, baseName: 'fuzz', to: 'raw' } as const;
  const restored = await outcome('decompress --to raw', () => restoreVolume(reader, kept.makeSink, settings, job()));
  const voxels = 'value' in restored ? kept.closedBytes()?.slice() : undefined;
  if (!voxels) return;
  // Raw voxels are written in the source's byte order.
  const { endian } = await reader.sourceDescription();
  if (endian === 'big') swapBytes(voxels, elementBytes(reader.header.volume.type));
  if (Buffer.compare(voxels, expected) !== 0) throw new Finding('decompress gave other voxels without an error');
}

async function compareVerdicts(reader: ContainerReader, cpu: VerifyReport, backend: Backend): Promise<void> {
  const verified = await outcome('verify on the GPU', () => verifyContainer(reader, { backend }, {}));
  if ('fault' in verified) {
    // Only the CPU handles chunks that begin inside a word.
    if (verified.fault.tag === 'unsupported') return;
    throw new Finding(`the GPU fails to verify what the CPU verifies: ${verified.fault.fullMessage}`);
  }
  const verdict = ({ sound, damaged, problems }: VerifyReport) =>
    JSON.stringify({ sound, damaged: damaged.map(({ chunk }) => chunk), problems });
  if (verdict(verified.value) !== verdict(cpu)) {
    throw new Finding(`CPU: ${verdict(cpu)} ${cpu.damaged[0]?.message ?? ''}\nGPU: ${verdict(verified.value)}`);
  }
}

/** Decompresses a failing file again through the command's own sinks, and checks that nothing is left behind. */
async function checkNothingIsLeft(reader: ContainerReader, backend: Backend): Promise<void> {
  if (isPictureFormat(reader.header.sourceFormat)) return;
  const folder = await mkdtemp(join(tmpdir(), 'stria-fuzz-'));
  try {
    const makeSink = (name: string) =>
      createNodeSink(join(folder, name.replace(/[^a-z.]/gi, '_').slice(-99)), { overwrite: false });
    const again = await outcome('decompress', () => restoreVolume(reader, makeSink, { backend, baseName: 'fuzz' }, job()));
    // On a busy machine the first run may have used up its time.
    if ('value' in again) return;
    const left = await readdir(folder);
    if (left.length > 0) throw new Finding(`a failed decompression left ${left.join(', ')}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function checkRecovery(bytes: Uint8Array, backend: Backend): Promise<void> {
  const sink = limitedSink();
  const recovered = await outcome('recover', () => recoverVolume(memorySource('fuzz.stria', bytes), sink, {}, job()));
  const file = 'value' in recovered ? sink.kept() : undefined;
  if (!file) return;
  const opened = await outcome('open the recovered file', () => ContainerReader.open(memorySource('r.stria', file)));
  if ('fault' in opened) throw new Finding(`the recovered file does not open: ${opened.fault.fullMessage}`);
  // Recovery copies chunks in encoded form. Verify decides whether they decode and whether the samples are in range.
  const verified = await outcome('verify the recovered file', () => verifyContainer(opened.value, { backend }, job()));
  const found = 'value' in verified ? verified.value.problems : [];
  const { lostCount } = opened.value;
  const isExpected = (problem: string) =>
    /more than \d bits hold/.test(problem) || (lostCount > 0 && problem === lostWords(opened.value));
  const problems = found.filter((problem) => !isExpected(problem));
  if (problems.length > 0) throw new Finding(`the recovered file has problems: ${problems.join('; ')}`);
}

async function checkInput({ files, comesBack, isFolder }: FuzzCase, { cpu }: Backends): Promise<void> {
  const [file] = files as [FuzzCase['files'][number]];
  const options = isFolder ? {} : { siblings: siblingsOf(files) };
  const input = () =>
    isFolder
      ? memoryTree('folder', Object.fromEntries(files.map(({ name, bytes }) => [name, bytes])))
      : memorySource(file.name, file.bytes);
  const opened = await outcome('open', () => openVolume(input(), { ...options, ...job() }));
  if ('fault' in opened) return;
  const read = await readVoxels(opened.value);
  const sink = limitedSink();
  const again = recording(await openVolume(input(), options));
  const choice = { codec: 'auto', options: { axis: 'auto' } } as const;
  const compressed = await outcome('compress', () => compressVolume(again.volume, sink, { backend: cpu, choice }, job()));
  const container = 'value' in compressed ? sink.kept() : undefined;
  if (!container || !read) return;
  const reader = await ContainerReader.open(memorySource('fuzz.stria', container));
  const verified = await outcome('verify', () => verifyContainer(reader, { backend: cpu }, job()));
  if ('value' in verified && !verified.value.sound) {
    throw new Finding(`compressed, but unsound: ${verified.value.problems.join('; ')} ${verified.value.damaged[0]?.message}`);
  }
  const kept = new KeptFiles();
  const restored = await outcome('decompress', () =>
    restoreVolume(reader, kept.makeSink, { backend: cpu, baseName: 'fuzz' }, job()),
  );
  if ('fault' in restored) {
    if (restored.fault.tag === 'aborted') return;
    throw new Finding(`compressed, but does not decompress: ${restored.fault.fullMessage}`);
  }
  if (isPictureFormat(reader.header.sourceFormat)) {
    await comparePictures(kept, read);
    return;
  }
  // If an HDF5 dataset has no fill value, values that were never written are undefined, so two reads may differ.
  await compareVoxels(reader, cpu, reader.header.sourceFormat === 'hdf5' ? again.voxels() : read);
  for (const { name, bytes } of comesBack ? files : []) {
    const own = kept.bytes(name);
    if (own && Buffer.compare(own, bytes) !== 0) throw new Finding(`${name} is not restored byte for byte`);
  }
}

/** All voxels, or undefined if reading ends in a fault or there are too many. @throws Finding */
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
    throw new Finding(`${length} bytes of voxels were read, but the header says ${volumeBytes(volume.info)}`);
  }
  return length <= keptBytes ? joined(...pieces) : undefined;
}

/** A volume that keeps the voxels that were read from it, all at once and in order. */
function recording(volume: OpenVolume): { readonly volume: OpenVolume; readonly voxels: () => Uint8Array } {
  const pieces: Uint8Array[] = [];
  const voxels: OpenVolume['voxels'] = async function* (options) {
    for await (const piece of volume.voxels(options)) {
      pieces.push(piece.slice());
      yield piece;
    }
  };
  return { volume: { ...volume, voxels }, voxels: () => joined(...pieces) };
}

/** Opens the written pictures again and compares their pixels. */
async function comparePictures(kept: KeptFiles, expected: Uint8Array): Promise<void> {
  const pictures = kept.names().map((name) => ({ name, bytes: kept.bytes(name) }));
  const [only, ...others] = pictures;
  if (!only?.bytes || others.length > 0) return;
  const opened = await outcome('open the decompressed pictures', () =>
    openVolume(memorySource(only.name, only.bytes as Uint8Array)),
  );
  if ('fault' in opened) throw new Finding(`the written picture does not open: ${opened.fault.fullMessage}`);
  const read = await readVoxels(opened.value);
  if (!read || Buffer.compare(read, expected) !== 0) throw new Finding('the written picture has other pixels');
}

/** A sink in memory that keeps small outputs and only counts larger ones. */
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

  /** The contents of a finished file, unless it is too large. */
  bytes(name: string): Uint8Array | undefined {
    return this.#sinks.get(name)?.kept();
  }

  /** The contents of the first finished file. */
  closedBytes(): Uint8Array | undefined {
    return this.names()
      .map((name) => this.bytes(name))
      .find((bytes) => bytes !== undefined);
  }
}
