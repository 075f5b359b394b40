import { basename } from 'node:path';
import { type FaultTag, StriaError } from '../core/shared/errors.ts';

/** What the system's error codes mean for somebody who wants a file. */
const meanings: Readonly<Record<string, string>> = {
  ENOENT: 'it is no longer there, or its folder is not. Check the drive, or open it from its new place',
  EACCES: 'permission was denied. Check who may use it',
  EPERM: 'the system does not permit it. Check who may use it, and whether another app holds it',
  EBUSY: 'another app holds it. Close it there and try again',
  EISDIR: 'it is a folder. Choose a file',
  ENOTDIR: 'a part of its path is no folder',
  ENOSPC: 'the disk is full. Free some space and try again',
  EDQUOT: 'your quota on this disk is used up. Free some space and try again',
  EFBIG: "the disk's file system takes no file this large. Choose another disk",
  EROFS: 'the disk can only be read. Choose another place',
  EEXIST: 'a file of that name is there already. Choose another name',
  ENAMETOOLONG: 'the name is too long. Choose a shorter one',
  EMFILE: 'too many files are open. Close some and try again',
  EIO: 'the disk reported an error. Check the drive',
};

/** A system error as a fault with the given tag (`not-readable` while reading, `not-writable` while writing), naming the file. */
export function toFileFault(error: unknown, tag: FaultTag, path: string): StriaError {
  if (error instanceof StriaError) return error;
  const code = errorCode(error);
  const verb = tag === 'not-writable' ? 'written' : 'read';
  const reason = meanings[code] ?? (error instanceof Error ? error.message : String(error));
  return new StriaError(tag, `'${basename(path)}' cannot be ${verb}: ${reason}`, { cause: error });
}

/** `ENOENT` and the like, or '' where there is none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
