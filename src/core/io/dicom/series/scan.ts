import { inContext, StriaError, toStriaError } from '../../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../../shared/job.ts';
import { type FileTree, splitPath, type TreeFile } from '../../common/file-tree.ts';
import { firstHeaderRead, readHeader } from '../parse/header.ts';
import { isDicom } from '../parse/recognise.ts';
import { type FileFacts, factsOf, HeadRoom } from './facts.ts';
import { folderHeaders, giveFolderHeaders, knownFacts, type UnreadFile } from './known-headers.ts';

/** The number of headers that are read at the same time. */
const atOnce = 8;
const headBytes = 160;
/** The number of files that are examined before a folder counts as one without DICOM. */
const tried = 2000;
/** The maximum number of unreadable files that are listed. */
const maxUnread = 20;

/** Extensions of files that are certainly not DICOM. */
const otherEndings =
  /\.(nii|nrrd|nhdr|hdr|img|png|tiff?|jpe?g|json|txt|xml|csv|pdf|zip|gz|md|html?|js|py|stria|mp4|avi|h5|hdf5)$/i;

function mayBeDicom({ path, size }: TreeFile): boolean {
  const name = splitPath(path)[1];
  return size >= 16 && (!otherEndings.test(name) || /\.dcm\.gz$/i.test(name));
}

/** Whether a folder has DICOM files. */
export async function hasDicom(tree: FileTree, job: JobOptions = {}): Promise<boolean> {
  const known = folderHeaders(tree);
  if (known !== undefined) return known.files.length > 0;
  for (const file of (await tree.files(job)).filter(mayBeDicom).slice(0, tried)) {
    throwIfAborted(job.signal);
    if (await isDicomFile(file, job)) return true;
  }
  return false;
}

async function isDicomFile(file: TreeFile, job: JobOptions): Promise<boolean> {
  const source = await file.open(job);
  const head = await source.read(0, headBytes, job);
  return isDicom(head) || /\.dcm\.gz$/i.test(file.path);
}

/** Reads the headers of all DICOM files in a folder, unless they are known. */
export async function scanTree(tree: FileTree, job: JobOptions): Promise<{ files: FileFacts[]; unread: UnreadFile[] }> {
  const candidates = (await tree.files(job)).filter(mayBeDicom);
  const known = knownFacts(tree, candidates);
  if (known !== undefined) return known;
  const found: (FileFacts | UnreadFile | undefined)[] = new Array(candidates.length);
  const heads = new HeadRoom();
  let next = 0;
  let done = 0;
  const worker = async () => {
    for (let index = next++; index < candidates.length; index = next++) {
      throwIfAborted(job.signal);
      found[index] = await readFacts(candidates[index] as TreeFile, heads, job);
      job.onProgress?.({ stage: 'Reading headers', done: ++done, total: candidates.length, counts: 'files' });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const facts = found.filter((one) => one !== undefined);
  const files = facts.filter((one): one is FileFacts => 'frames' in one);
  const unread = facts.filter((one): one is UnreadFile => 'problem' in one).slice(0, maxUnread);
  giveFolderHeaders(tree, {
    looked: candidates.map(({ path, size }) => [path, size]),
    files: files.map(({ file, ...rest }) => ({ ...rest, path: file.path })),
    unread,
  });
  return { files, unread };
}

/** Undefined for files that are not DICOM or have no pixels. */
async function readFacts(file: TreeFile, heads: HeadRoom, job: JobOptions): Promise<FileFacts | UnreadFile | undefined> {
  try {
    const source = await file.open(job);
    const head = await source.read(0, Math.min(firstHeaderRead, source.size), job);
    if (!isDicom(head) && !/\.dcm\.gz$/i.test(file.path)) return undefined;
    const header = await readHeader(source, job, head);
    return header.pixels === undefined ? undefined : factsOf(file, header, heads);
  } catch (error) {
    const fault = toStriaError(error);
    if (fault.tag === 'corrupt' || fault.tag === 'unsupported') return { path: file.path, problem: fault.message };
    throw fault instanceof StriaError ? inContext(file.path, fault) : fault;
  }
}
