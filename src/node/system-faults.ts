import { type FaultTag, StriaError, toStriaError } from '../core/shared/errors.ts';

/** What the system's error codes mean, in words for people. The path is put in front. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file system allows no file of this size',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many files are open',
  EIO: 'the disk reports an error',
  EBUSY: 'another program holds it',
  EPIPE: 'nobody reads it any more',
  ELOOP: 'its links go round in a circle',
};

/** A file system's error as a fault with words: `/data/a.stria: the disk is full`. Faults of Stria stay as they are. */
export function systemFault(tag: Extract<FaultTag, 'not-readable' | 'not-writable'>, path: string, error: unknown): StriaError {
  const code = errorCode(error);
  if (code === undefined) return toStriaError(error);
  return new StriaError(tag, `${path}: ${reasons[code] ?? code}`, { cause: error });
}

/** `ENOENT` and the like, or undefined where the error is none of the system's. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return 'syscall' in error ? error.code : undefined;
}
