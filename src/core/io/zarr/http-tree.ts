import { type ByteSource, memorySource } from '../../shared/bytes.ts';
import { StriaError, toStriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { type FileTree, splitPath } from '../common/file-tree.ts';

/** Files up to this length are fetched in one response; only the needed parts of longer ones. */
const wholeBytes = 32 * 2 ** 20;
const timeoutMs = 30_000;

/** Whether a name is a web address. */
export function isAddress(name: string): boolean {
  return /^https?:\/\/./i.test(name);
}

/** The files below a web address. They cannot be listed, only requested by name. @throws StriaError `invalid-input` */
export function httpTree(address: string, job: JobOptions): FileTree {
  if (!URL.canParse(address)) throw new StriaError('invalid-input', `${address} is not a web address`);
  const base = new URL(address);
  const folder = base.pathname.replace(/\/+$/, '');
  const urlOf = (path: string) => {
    const url = new URL(base);
    url.pathname = `${folder}/${path.split('/').map(encodeURIComponent).join('/')}`;
    return url;
  };
  return {
    name: decodeURIComponent(splitPath(folder)[1]) || base.host,
    files: async () => {
      throw new StriaError(
        'unsupported',
        'nothing that Stria reads was found: a web address must be a Zarr whose metadata (zarr.json, .zarray or .zattrs) lists its contents',
      );
    },
    find: (path) => findFile(urlOf(path), path, job),
  };
}

async function findFile(url: URL, path: string, job: JobOptions): Promise<ByteSource | undefined> {
  const response = await ask(url, {}, job);
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  if (response.status === 404 || response.status === 410) {
    await response.body?.cancel();
    return undefined;
  }
  if (response.status !== 200) throw await refused(url, response);
  if (!(length > wholeBytes)) return memorySource(splitPath(path)[1], await readAnswer(url, response, job));
  await response.body?.cancel();
  return {
    name: splitPath(path)[1],
    size: length,
    async read(offset, wanted, options) {
      const end = Math.min(length, offset + wanted);
      if (end <= offset) return new Uint8Array(0);
      const part = await ask(url, { range: `bytes=${offset}-${end - 1}` }, { signal: options?.signal ?? job.signal });
      if (part.status === 200) {
        await part.body?.cancel();
        throw new StriaError('not-readable', `${url.href}: the server does not send parts of long files; download it first`);
      }
      if (part.status !== 206) throw await refused(url, part);
      return readAnswer(url, part, options ?? job);
    },
  };
}

async function ask(url: URL, headers: Record<string, string>, { signal }: JobOptions): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await fetch(url, { headers, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
  } catch (error) {
    throw failed(url, error, signal);
  }
}

/** The bytes of a response. */
async function readAnswer(url: URL, response: Response, { signal }: JobOptions): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    throw failed(url, error, signal);
  }
}

function failed(url: URL, error: unknown, signal: AbortSignal | undefined): StriaError {
  if (signal?.aborted) return new StriaError('aborted', 'cancelled', { cause: error });
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause.message : toStriaError(error).message;
  const reason = isLate ? `no answer within ${timeoutMs / 1000} seconds` : `the server cannot be reached (${inner})`;
  return new StriaError('not-readable', `${url.href}: ${reason}`, { cause: error });
}

async function refused(url: URL, response: Response): Promise<StriaError> {
  await response.body?.cancel();
  const reason =
    response.status === 401 || response.status === 403
      ? `the server does not allow it to be read (${response.status})`
      : `the server answered ${response.status}`;
  return new StriaError('not-readable', `${url.href}: ${reason}`);
}
