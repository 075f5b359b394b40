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

/** A file of a series, and where its frames went. */
export interface FileInVolume {
  readonly file: TreeFile;
  /** Its bytes in front of the pixels, if they are known. */
  readonly head: Uint8Array | undefined;
  readonly format: PixelFormat;
  /** Planes of its frames, in its order; undefined for a frame that is in no volume, or in another one. */
  readonly planes: readonly (number | undefined)[];
  /** All of its stored bytes follow from the voxels, if it is native. */
  readonly isExact: boolean;
}

/**
 * What is needed to write the files again; no bytes where that would be too much.
 * @param options.stripIdentity without what PS3.15's basic profile names
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
    // Names of files and folders may be those of people.
    described.push(stripIdentity ? { ...one, name: `IM${String(described.length + 1).padStart(6, '0')}` } : one);
  }
  return encodeFilesTable(withDistinctNames(described));
}

/** Names that were told apart by what a name may not have. */
function withDistinctNames(files: readonly SourceFile[]): SourceFile[] {
  const taken = new Set<string>();
  return files.map((file) => {
    let { name } = file;
    for (let number = 2; taken.has(name); number++) name = `${file.name}-${number}`;
    taken.add(name);
    return { ...file, name };
  });
}

/** Undefined where it takes more than `room` bytes. */
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
  // Big-endian words of two pixels each.
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
    // Its pixels as they are, behind a header of its own.
    const end =
      pixels.length === undefined ? (await findFragments(source, pixels.valueStart, job)).end : pixels.valueStart + pixels.length;
    if (end > room) return undefined;
    const bytes = await read(source, pixels.valueStart, end - pixels.valueStart, job);
    const before = joinBytes([strippedHead(header, pixels, uids), bytes]);
    return { ...common, before, after: new Uint8Array(), endian: 'little', planes: [] };
  }
  // Bytes that the voxels do not tell: the file as it is.
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

/** Up to the pixels' value. */
function strippedHead(header: DicomHeader, pixels: PixelElement, uids: NewUids): Uint8Array {
  const head = elementHead(pixels.tag, pixels.vr, pixels.length ?? 0xffffffff, header.dataSet.encoding);
  return joinBytes([strippedBefore(header, uids, { isPlain: header.syntax.isDeflated }), head]);
}

/** A gzipped file comes back unpacked. */
function unpackedName(path: string, { source, isPacked, syntax }: DicomHeader): string {
  return isPacked && !syntax.isDeflated ? path.replace(/[^/]*$/, source.name) : path;
}

function read(source: ByteSource, start: number, length: number, job: JobOptions): Promise<Uint8Array> {
  // Nothing to read is mostly what follows the pixels.
  return length <= 0 ? Promise.resolve(new Uint8Array()) : plainBytes(source).read(start, length, job);
}
