import { basename } from 'node:path';
import { type FaultTag, StriaError } from '../core/shared/errors.ts';
import { errorCode } from '../node/system-faults.ts';

/** Messages for the system's error codes when a file is read or written. */
const meanings: Readonly<Record<string, string>> = {
  ENOENT: 'the file or its folder no longer exists. Check the drive, or open the file from its new location',
  EACCES: 'permission was denied. Check its permissions',
  EPERM: 'the system does not allow it. Check its permissions, and whether another app is using it',
  EBUSY: 'another app is using it. Close it there and try again',
  EISDIR: 'it is a folder. Choose a file',
  ENOTDIR: 'part of its path is not a folder',
  ENOSPC: 'the disk is full. Free some space and try again',
  EDQUOT: 'your quota on this disk is used up. Free some space and try again',
  EFBIG: "the disk's file system does not support files this large. Choose another disk",
  EROFS: 'the disk is read-only. Choose another location',
  EEXIST: 'a file with that name already exists. Choose another name',
  ENAMETOOLONG: 'the name is too long. Choose a shorter one',
  EMFILE: 'too many files are open. Close some and try again',
  EIO: 'the disk reported an error. Check the drive',
};

/** A system error as a fault with the given tag (`not-readable` while reading, `not-writable` while writing), naming the file. */
export function toFileFault(error: unknown, tag: FaultTag, path: string): StriaError {
  if (error instanceof StriaError) return error;
  const code = errorCode(error);
  const verb = tag === 'not-writable' ? 'written' : 'read';
  const reason = meanings[code ?? ''] ?? (error instanceof Error ? error.message : String(error));
  return new StriaError(tag, `'${basename(path)}' cannot be ${verb}: ${reason}`, { cause: error });
}
