import { ContainerReader } from '../../core/format/container-reader.ts';
import { hasContainerName } from '../../core/format/container-start.ts';
import type { FileTree } from '../../core/io/common/file-tree.ts';
import { isAddress } from '../../core/remote/address.ts';
import { openAddress, openAddressFile, siblingsOfAddress } from '../../core/remote/open-address.ts';
import type { ByteSink, ByteSource, SiblingFinder } from '../../core/shared/bytes.ts';
import { inContext, StriaError, toStriaError } from '../../core/shared/errors.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import { shownPath, standardStream } from '../../core/shared/standard-streams.ts';
import { isExistingFolder, openFolder } from '../../node/node-folder.ts';
import { NodeFiles } from '../../node/node-source.ts';

/** Opens a file or web address and its companions, runs the work, and closes them. Faults get the file's name. */
export async function withFile<T>(
  path: string,
  job: JobOptions,
  work: (source: ByteSource, files: NodeFiles) => Promise<T>,
): Promise<T> {
  const files = new NodeFiles(job);
  try {
    return await inFile(shownPath(path, 'input'), async () =>
      work(isAddress(path) ? await openAddressFile(path, job) : await files.open(path), files),
    );
  } finally {
    await files.close();
  }
}

/** Like `withFile`, for a file, a folder or a web address. */
export async function withInput<T>(
  path: string,
  job: JobOptions,
  work: (input: ByteSource | FileTree, files: NodeFiles) => Promise<T>,
): Promise<T> {
  if (path === standardStream || !(isAddress(path) || (await isExistingFolder(path)))) return withFile(path, job, work);
  const files = new NodeFiles(job);
  try {
    return await inFile(path, async () =>
      work(isAddress(path) ? await openAddress(path, job) : await openFolder(path, (opened) => files.note(opened)), files),
    );
  } finally {
    await files.close();
  }
}

/** Finds the files beside an input. */
export function siblingsOf(path: string, files: NodeFiles, job: JobOptions): SiblingFinder {
  return isAddress(path) ? siblingsOfAddress(path, job) : files.siblingsOf(path);
}

/** Opens a web address, or a file whose handle is open only during reads. @throws StriaError `not-readable` */
export function openWhenRead(path: string, job: JobOptions): Promise<ByteSource> {
  return isAddress(path) ? openAddressFile(path, job) : NodeFiles.openWhenRead(path);
}

/** Opens a .stria. @throws StriaError as `checkedContainer` and `ContainerReader.open` */
export async function openContainer(source: ByteSource, job: JobOptions): Promise<ContainerReader> {
  return ContainerReader.open(await checkedContainer(source, job), job);
}

/**
 * A file of another kind is not called damaged, unless its name ends in `.stria`.
 * @returns the source @throws StriaError `unsupported` for such a file, `corrupt` for an empty .stria, `not-readable`, `aborted`
 */
export async function checkedContainer(source: ByteSource, job: JobOptions): Promise<ByteSource> {
  const isNamed = /\.stria$/i.test(source.name);
  if (source.size === 0) throw new StriaError(isNamed ? 'corrupt' : 'unsupported', 'the file is empty');
  if (!isNamed && !hasContainerName(await source.read(0, 8, job))) {
    throw new StriaError(
      'unsupported',
      'this is not a .stria file. If it holds a volume, `stria info` describes it, and `stria compress` makes a .stria of it',
    );
  }
  return source;
}

/** Runs work that writes to a sink. The output appears when the work is done, and is removed if it fails. */
export async function withSink<T>(sink: ByteSink, work: (sink: ByteSink) => Promise<T>): Promise<T> {
  try {
    const result = await work(sink);
    await sink.close();
    return result;
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

/** Faults that already name their file, or that belong to no file. */
const namedFaults = new WeakSet<StriaError>();

/** A fault that belongs to no file, such as one of the options. */
export function ofNoFile(fault: StriaError): StriaError {
  namedFaults.add(fault);
  return fault;
}

/**
 * Runs work on a file, whose path becomes the prefix of faults, unless they name a path. If files are open at the same time, such calls lie
 * in one another: the innermost one decides, so that no fault names a file that is sound.
 * @param path undefined for work on several files, whose faults are not those of a file
 */
export async function inFile<T>(path: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const fault = toStriaError(error);
    if (namedFaults.has(fault)) throw fault;
    const namesPath = fault.tag === 'not-readable' || fault.tag === 'not-writable' || fault.tag === 'aborted';
    const isNamed = fault.context[0] === path || fault.message.startsWith(`${path}: `);
    const named = path === undefined || namesPath || isNamed ? fault : inContext(path, fault);
    namedFaults.add(named);
    throw named;
  }
}
