import { type FaultTag, StriaError, toStriaError } from '../../core/shared/errors.ts';

/** Messages for the browser's error names when a file is read or written. `%` is replaced by the file's name. */
const meanings: Readonly<Record<string, string>> = {
  NotAllowedError: '% cannot be used: permission was denied. Open it again and allow access',
  SecurityError: 'The browser allows this only right after a click or a key press. Try again',
  NotFoundError: '% no longer exists at its old location. Open it again',
  NotReadableError: '% cannot be read: it was changed, moved or locked since it was opened. Open it again',
  InvalidStateError: '% was changed by another program. Try again',
  NoModificationAllowedError: '% is in use by another tab or app. Close it there and try again',
  TypeMismatchError: '% is a folder. Choose another name',
  QuotaExceededError: 'There is not enough space left to write %. Free some and try again',
};

/**
 * Turns a browser's error into a fault with the given tag: `not-readable` while reading, `not-writable` while writing. An
 * AbortError stays an abort.
 */
export function toFileFault(error: unknown, tag: FaultTag, fileName: string): StriaError {
  if (error instanceof StriaError) return error;
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  const meaning = meanings[name];
  if (meaning !== undefined) return new StriaError(tag, meaning.replace('%', `'${fileName}'`), { cause: error });
  const fault = toStriaError(error);
  return fault.tag === 'internal' ? new StriaError(tag, `'${fileName}': ${fault.message}`, { cause: error }) : fault;
}

/** Whether the user closed a picker without choosing. */
export function backedOut(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
