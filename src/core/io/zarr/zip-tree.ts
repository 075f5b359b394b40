import type { ZipInfo } from 'unzipit';
import { type ByteSource, memorySource } from '../../shared/bytes.ts';
import { StriaError, toStriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { type FileTree, fileTreeOf, splitPath } from '../common/file-tree.ts';
import { inflateBounded } from '../common/inflate-bounded.ts';

/** The limit for the directory at a ZIP's end, which takes about 100 bytes per entry. */
const directoryLimit = 256 * 2 ** 20;
/** A compressed entry is unpacked as a whole. */
const entryLimit = 2 ** 30;
const localHeaderBytes = 30;

interface RawEntry {
  readonly relativeOffsetOfLocalHeader: number;
}

/**
 * The files in a ZIP, each read on request: in pieces if it is stored, as a whole if it is deflated. If all files are in one folder,
 * paths are relative to it.
 * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
 */
export async function zipTree(source: ByteSource, job: JobOptions): Promise<FileTree> {
  const { unzip } = await import('unzipit');
  const reader = {
    getLength: async () => source.size,
    async read(offset: number, length: number) {
      if (length > directoryLimit) throw new StriaError('unsupported', 'the directory of the ZIP is too large');
      const isWithin = offset >= 0 && length >= 0 && offset + length <= source.size;
      if (!isWithin) throw new StriaError('corrupt', 'the directory of the ZIP points beyond the file');
      return source.read(offset, length, { signal: job.signal });
    },
  };
  let info: ZipInfo;
  try {
    info = await unzip(reader);
  } catch (error) {
    if (error instanceof StriaError) throw error;
    throw new StriaError('corrupt', `the ZIP is broken or truncated: ${toStriaError(error).message}`, { cause: error });
  }
  const entries = Object.values(info.entries).filter(({ isDirectory, name }) => !isDirectory && !name.startsWith('__MACOSX/'));
  const folder = commonFolder(entries.map(({ name }) => name));
  return fileTreeOf(
    source.name,
    entries.map((entry) => ({
      path: entry.name.slice(folder.length),
      size: entry.size,
      async open() {
        if (entry.encrypted) throw new StriaError('unsupported', `${entry.name} is encrypted: unpack the ZIP`);
        const { relativeOffsetOfLocalHeader: at } = (entry as unknown as { _rawEntry: RawEntry })._rawEntry;
        const start = await dataStart(source, at, entry.compressedSize, job);
        if (entry.compressionMethod === 0) return partOf(source, entry.name, start, entry.size);
        if (entry.compressionMethod !== 8) {
          throw new StriaError(
            'unsupported',
            `${entry.name} is compressed with method ${entry.compressionMethod}: unpack the ZIP`,
          );
        }
        if (entry.size > entryLimit)
          throw new StriaError('unsupported', `${entry.name} is too large to unpack in memory: unpack the ZIP`);
        const packed = await source.read(start, entry.compressedSize, { signal: job.signal });
        const bytes = await inflateBounded(packed, 'deflate-raw', entry.size, job.signal);
        if (bytes.byteLength !== entry.size) throw new StriaError('corrupt', `${entry.name} is shorter than the ZIP says`);
        return memorySource(splitPath(entry.name)[1], bytes);
      },
    })),
  );
}

async function dataStart(source: ByteSource, at: number, length: number, { signal }: JobOptions): Promise<number> {
  const header = await source.read(at, localHeaderBytes, { signal });
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  if (header.byteLength < localHeaderBytes || view.getUint32(0, true) !== 0x04034b50) {
    throw new StriaError('corrupt', 'the directory of the ZIP points to something that is not a file');
  }
  const start = at + localHeaderBytes + view.getUint16(26, true) + view.getUint16(28, true);
  if (start + length > source.size) throw new StriaError('corrupt', 'the ZIP ends inside a file');
  return start;
}

function partOf(source: ByteSource, name: string, start: number, size: number): ByteSource {
  return {
    name: splitPath(name)[1],
    size,
    read: (offset, length, options) => source.read(start + offset, Math.max(0, Math.min(length, size - offset)), options),
  };
}

/** The folder that contains all of the paths, with its `/`. */
function commonFolder(paths: readonly string[]): string {
  const [first = ''] = paths;
  let folder = '';
  for (let slash = first.indexOf('/'); slash >= 0; slash = first.indexOf('/', slash + 1)) {
    const longer = first.slice(0, slash + 1);
    if (!paths.every((path) => path.startsWith(longer))) break;
    folder = longer;
    // Stops at the first folder that has Zarr's documents, because paths must be relative to that.
    if (paths.some((path) => /^(\.zgroup|\.zattrs|\.zarray|zarr\.json)$/.test(path.slice(folder.length)))) break;
  }
  return folder;
}
