import type { ByteSource } from '../../../shared/bytes.ts';
import { StriaError } from '../../../shared/errors.ts';
import type { JobOptions } from '../../../shared/job.ts';
import { joinBytes, plainBytes } from '../../common/byte-stream.ts';
import type { TreeFile } from '../../common/file-tree.ts';
import { encodeFilesTable, maxTableBytes, type SourceFile } from '../../common/files-table.ts';
import type { PixelElement } from '../parse/elements.ts';
import { type DicomHeader, readHeader } from '../parse/header.ts';
import { findFragments } from '../pixels/fragments.ts';
import { type PixelFormat, storedFrameBytes } from '../pixels/pixel-format.ts';
import { elementHead } from './element-bytes.ts';
import { rewrittenBefore } from './rewrite.ts';
import { NewUids, strippedBefore } from './strip.ts';

/** A file of a series, and the places of its frames. */
export interface FileInVolume {
  readonly file: TreeFile;
  /** Its bytes before the pixels, if known. */
  readonly head: Uint8Array | undefined;
  readonly format: PixelFormat;
  /** The planes of its frames, in order; undefined for a frame that is not in this volume. */
  readonly planes: readonly (number | undefined)[];
  /** Whether its stored bytes can be rebuilt from the voxels, if it is native. */
  readonly isExact: boolean;
}

/**
 * The data needed to write the files again; empty if it would be too long.
 * @param options.stripIdentity omit everything that PS3.15's basic profile names
 * @throws StriaError as `readHeader`
 */
export async function describeFiles(
  files: readonly FileInVolume[],
  { stripIdentity = false, ...job }: JobOptions & { readonly stripIdentity?: boolean | undefined } = {},
): Promise<Uint8Array> {
  const uids = stripIdentity ? new NewUids() : undefined;
  const described: SourceFile[] = [];
  let total = 0;
  for (const file of files) {
    const one = await describeFile(file, maxTableBytes - total, uids, job);
    if (one === undefined) return new Uint8Array();
    total += one.before.byteLength + one.after.byteLength;
    // Names of files and folders may contain names of people.
    described.push(stripIdentity ? { ...one, name: `IM${String(described.length + 1).padStart(6, '0')}` } : one);
  }
  return encodeFilesTable(withDistinctNames(described));
}

/** Makes names distinct again, because names that differ only in forbidden characters become equal. */
function withDistinctNames(files: readonly SourceFile[]): SourceFile[] {
  const taken = new Set<string>();
  return files.map((file) => {
    let { name } = file;
    for (let number = 2; taken.has(name); number++) name = `${file.name}-${number}`;
    taken.add(name);
    return { ...file, name };
  });
}

/** Undefined if it takes more than `room` bytes. */
async function describeFile(
  { file, head, format, planes, isExact }: FileInVolume,
  room: number,
  uids: NewUids | undefined,
  job: JobOptions,
): Promise<SourceFile | undefined> {
  const header = await readHeader(await file.open(job), job, head);
  const { source, syntax, pixels } = header;
  if (pixels === undefined) throw new StriaError('not-readable', `${file.path} changed while it was read`);
  const common = {
    name: unpackedName(file.path, header),
    samples: format.samples,
    isPlanar: format.isPlanar,
    isRewritten: false,
  };
  const whole = planes.filter((plane) => plane !== undefined);
  const isFromVoxels = whole.length === format.frames && format.palette === undefined && format.bitsAllocated >= 8;
  // Each big-endian word holds two pixels.
  const isPaired = !syntax.isLittle && format.bitsAllocated === 8 && pixels.vr === 'OW';
  if (isFromVoxels && isExact && !isPaired && pixels.length !== undefined && !syntax.isDeflated) {
    const end = pixels.valueStart + storedFrameBytes(format) * format.frames;
    if (pixels.valueStart + source.size - end > room) return undefined;
    return {
      ...common,
      before: uids ? strippedHead(header, pixels, uids) : (head ?? (await read(source, 0, pixels.valueStart, job))),
      after: await read(source, end, (uids ? pixels.valueStart + pixels.length : source.size) - end, job),
      endian: syntax.isLittle ? 'little' : 'big',
      planes: whole,
    };
  }
  const isPacked = pixels.length === undefined || syntax.isDeflated;
  if (isFromVoxels && isPacked && syntax.isExplicit && (isExact || pixels.length === undefined)) {
    const end =
      pixels.length === undefined ? (await findFragments(source, pixels.valueStart, job)).end : pixels.valueStart + pixels.length;
    const before = rewrittenBefore(header, pixels, format, uids);
    if (before.byteLength + source.size - end > room) return undefined;
    const isOdd = (storedFrameBytes({ ...format, photometric: 'RGB' }) * format.frames) % 2 === 1;
    const behind = uids ? new Uint8Array() : await read(source, end, source.size - end, job);
    const after = isOdd ? Uint8Array.of(0, ...behind) : behind;
    return { ...common, isPlanar: false, before, after, endian: 'little', planes: whole, isRewritten: true };
  }
  if (uids !== undefined) {
    // Keeps its pixels unchanged, after a new header.
    const end =
      pixels.length === undefined ? (await findFragments(source, pixels.valueStart, job)).end : pixels.valueStart + pixels.length;
    if (end > room) return undefined;
    const bytes = await read(source, pixels.valueStart, end - pixels.valueStart, job);
    const before = joinBytes([strippedHead(header, pixels, uids), bytes]);
    return { ...common, before, after: new Uint8Array(), endian: 'little', planes: [] };
  }
  // The voxels do not determine all bytes, so the file is kept as it is.
  const original = await file.open(job);
  if (original.size > room) return undefined;
  return {
    ...common,
    name: file.path,
    before: await read(original, 0, original.size, job),
    after: new Uint8Array(),
    endian: 'little',
    planes: [],
  };
}

/** The header up to the pixels' value, without personal data. */
function strippedHead(header: DicomHeader, pixels: PixelElement, uids: NewUids): Uint8Array {
  const head = elementHead(pixels.tag, pixels.vr, pixels.length ?? 0xffffffff, header.dataSet.encoding);
  return joinBytes([strippedBefore(header, uids, { isPlain: header.syntax.isDeflated }), head]);
}

/** The name for a gzipped file, which is restored unpacked. */
function unpackedName(path: string, { source, isPacked, syntax }: DicomHeader): string {
  return isPacked && !syntax.isDeflated ? path.replace(/[^/]*$/, source.name) : path;
}

function read(source: ByteSource, start: number, length: number, job: JobOptions): Promise<Uint8Array> {
  // Usually nothing follows the pixels.
  return length <= 0 ? Promise.resolve(new Uint8Array()) : plainBytes(source).read(start, length, job);
}
