import { isAddress } from '../core/remote/address.ts';
import { StriaError } from '../core/shared/errors.ts';
import { type CallName, type Calls, type UnfinishedKind, unfinishedKinds } from '../core/shared/ipc.ts';
import { type MenuCommand, menuCommands } from '../core/shared/menu-commands.ts';
import type { DatasetName } from '../core/shared/volume-names.ts';
import { isPlainName } from './plain-name.ts';
import { isDatasetName, isThumbnail } from './recent-files.ts';
import { isStriaName } from './references.ts';

/** The largest number of bytes in one message. */
const mostWriteBytes = 64 * 1024 * 1024;

type Check = (value: unknown) => unknown;
/** A check for each argument, which returns the value or throws. */
type ChecksOf<Args extends readonly unknown[]> = { readonly [Index in keyof Args]: (value: unknown) => Args[Index] };
type Checks = { [Name in CallName]: ChecksOf<Calls[Name]['args']> };

const checks: Checks = {
  'shell-info': [],
  'open-dialog': [],
  'open-folder-dialog': [],
  'open-sibling': [id, fileName],
  'open-relative': [id, relativePath],
  'allow-address': [address],
  'recent-list': [],
  'recent-open': [id],
  'recent-add': [id, thumbnail, dataset],
  'recent-add-address': [address, thumbnail, dataset],
  'recent-clear': [],
  'save-begin': [fileName],
  'save-beside': [id, striaName],
  'save-write': [id, bytes],
  'save-relative': [id, id],
  'save-commit': [id],
  'save-restart': [id],
  'save-abort': [id],
  'folder-begin': [visibleName],
  'folder-write': [id, visibleName, bytes],
  'folder-commit': [id],
  'folder-abort': [id],
  'show-folder': [id],
  'show-saved': [id],
  'set-unfinished': [unfinished],
  'set-menu': [menu],
  'restart-compatible': [],
};

export function isCallName(name: unknown): name is CallName {
  return typeof name === 'string' && Object.hasOwn(checks, name);
}

/** The renderer's arguments, checked against the call. @throws StriaError `invalid-input` */
export function checkArguments<Name extends CallName>(name: Name, args: readonly unknown[]): Calls[Name]['args'] {
  const expected: readonly Check[] = checks[name];
  if (args.length !== expected.length) throw wrong(`${name} takes ${expected.length} arguments, not ${args.length}`);
  return expected.map((check, index) => check(args[index])) as Calls[Name]['args'];
}

/** A dropped file's path as preload sends it; '' for a File without one. @throws StriaError `invalid-input` */
export function checkDroppedPath(value: unknown): string {
  if (typeof value !== 'string' || value.length > 32_767 || value.includes('\0'))
    throw wrong('A path must be a text without NUL');
  return value;
}

function id(value: unknown): string {
  if (typeof value !== 'string' || !/^[0-9a-f-]{32,36}$/.test(value)) throw wrong('An id must be one that main has issued');
  return value;
}

function fileName(value: unknown): string {
  if (typeof value !== 'string' || !isPlainName(value))
    throw wrong('A file name must be plain: no folder, and no character that a system forbids');
  return value;
}

function address(value: unknown): string {
  if (typeof value !== 'string' || value.length > 8192 || !isAddress(value)) throw wrong('An address must be one of the web');
  return value;
}

function visibleName(value: unknown): string {
  const name = fileName(value);
  if (name.startsWith('.')) throw wrong('A new file or folder in a chosen folder must not be hidden');
  return name;
}

function striaName(value: unknown): string {
  if (typeof value !== 'string' || !isStriaName(value)) {
    throw wrong(
      'Next to a file, Stria writes only files whose names end in .stria and do not start with a dot. Choose a name with Save as',
    );
  }
  return value;
}

function relativePath(value: unknown): string {
  const steps = typeof value === 'string' && value.length <= 4096 ? value.split('/') : [];
  if (!steps.every((step) => step === '..' || isPlainName(step)) || !isPlainName(steps.at(-1) ?? ''))
    throw wrong('A path must be relative, from a folder to a file');
  return value as string;
}

function thumbnail(value: unknown): string | null {
  if (value !== null && !isThumbnail(value)) throw wrong('A thumbnail must be a PNG data URL of at most 64 KiB');
  return value;
}

function dataset(value: unknown): DatasetName | null {
  if (value !== null && !isDatasetName(value)) throw wrong('A volume in a file has an id and a label of at most 1000 characters');
  return value;
}

function unfinished(value: unknown): readonly UnfinishedKind[] {
  const known: readonly unknown[] = unfinishedKinds;
  if (!Array.isArray(value) || value.length > known.length || !value.every((kind) => known.includes(kind)))
    throw wrong('Unfinished work must be of known kinds');
  return value;
}

function menu(value: unknown): readonly MenuCommand[] {
  const known: readonly unknown[] = menuCommands;
  if (!Array.isArray(value) || value.length > known.length || !value.every((command) => known.includes(command)))
    throw wrong('A menu has known commands');
  return value;
}

function bytes(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array) || value.byteLength > mostWriteBytes)
    throw wrong('Bytes must be a Uint8Array of at most 64 MiB');
  return value;
}

function wrong(message: string): StriaError {
  return new StriaError('invalid-input', message);
}
