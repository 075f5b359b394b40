import { type FaultTag, StriaError, toStriaError } from '../core/shared/errors.ts';

/** Messages for the system's error codes. The path is put in front. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'this is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the file exceeds the size limit of the file system',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many files are open',
  EIO: 'the disk reported an error',
  EBUSY: 'another program is using it',
  EPIPE: 'the reader has closed it',
  ELOOP: 'too many levels of symbolic links',
};

/** A file system error as a fault with a message: `/data/a.stria: the disk is full`. Faults of Stria are returned unchanged. */
export function systemFault(tag: Extract<FaultTag, 'not-readable' | 'not-writable'>, path: string, error: unknown): StriaError {
  const code = errorCode(error);
  if (code === undefined) return toStriaError(error);
  return new StriaError(tag, `${path}: ${reasons[code] ?? code}`, { cause: error });
}

/** `ENOENT` and the like, or undefined if it is not a system error. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return 'syscall' in error ? error.code : undefined;
}
