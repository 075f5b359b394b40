import { mkdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isAddress, nameOfAddress, urlOfAddress } from '../../core/remote/address.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { PartChoice } from '../../core/shared/part-choice.ts';
import { standardStream } from '../../core/shared/standard-streams.ts';
import { isOmeName, volumeStem } from '../../core/shared/volume-names.ts';
import { errorCode, systemFault } from '../../node/system-faults.ts';
import type { PendingFiles } from './pending-files.ts';

/** A file to write, and whether the user named it. An existing file is replaced without -f only if the user named it. */
export interface OutputName {
  readonly path: string;
  readonly named: boolean;
}

/** A volume's name without folder and endings: `scan` for `/data/scan.nii.gz`; a folder's name for a path that ends in a slash or dots. */
export function stemOf(path: string): string {
  if (isAddress(path)) return volumeStem(localName(path));
  return volumeStem(basename(/(^|[/\\])\.{0,2}[/\\]?$/.test(path) ? resolve(path) : path));
}

/** The path by which outputs are named: an input at a web address counts as a file of the current folder. */
export function localName(path: string): string {
  return isAddress(path) ? nameOfAddress(urlOfAddress(path)) : path;
}

/** Whether several inputs of `compress` are to become one volume: `-o` names a .stria file. */
export async function isOneOutput(inputs: readonly string[], output: string | undefined): Promise<boolean> {
  return inputs.length > 1 && output !== undefined && /\.stria$/i.test(output) && !(await isFolder(output));
}

/** Whether all names are those of pictures of one kind. OME files are excluded: their metadata says how they belong together. */
export function arePictureNames(inputs: readonly string[]): boolean {
  return [/\.png$/i, /\.tiff?$/i].some((ending) => inputs.every((input) => ending.test(input) && !isOmeName(input)));
}

/**
 * The output of each input of `compress`. With one input, `-o` is the file or an existing folder; with several, a folder.
 * Without `-o`, each output is written beside its input, or for a web address into the current folder.
 * @param suffix added to names that Stria chooses
 * @throws StriaError `invalid-input` if two inputs would get the same name, several inputs one file, or standard input none
 */
export async function compressOutputs(inputs: readonly string[], output: string | undefined, suffix = ''): Promise<OutputName[]> {
  if (inputs.length > 1 && output === standardStream) {
    throw new StriaError('invalid-input', 'standard output takes a single .stria; with several inputs, name a folder with -o');
  }
  if (inputs.includes(standardStream) && (inputs.length > 1 || output === undefined || (await isFolder(output)))) {
    throw new StriaError('invalid-input', 'standard input must be the only input, with a file named by -o');
  }
  const toFolder = output !== undefined && (inputs.length > 1 || (await isFolder(output)));
  if (toFolder && inputs.length > 1 && (await exists(output)) && !(await isFolder(output))) {
    throw new StriaError('invalid-input', `${output} is a file; with several inputs, -o must name a folder`);
  }
  const outputs = inputs.map((input): OutputName => {
    if (output !== undefined && !toFolder) return { path: output, named: true };
    const ownFolder = isAddress(input) ? '.' : dirname(/(^|[/\\])\.{1,2}[/\\]?$/.test(input) ? resolve(input) : input);
    const folder = toFolder ? output : ownFolder;
    return { path: join(folder, `${stemOf(input)}${suffix}.stria`), named: false };
  });
  const taken = new Map<string, string>();
  for (const [index, { path }] of outputs.entries()) {
    const input = inputs[index] as string;
    const other = taken.get(resolve(path));
    if (other !== undefined) {
      throw new StriaError('invalid-input', `${other} and ${input} would both become ${path}; compress them separately with -o`);
    }
    taken.set(resolve(path), input);
  }
  return outputs;
}

/** `.part-03-of-12`, `.at-0-0-512`: names of parts sort as the parts do. */
export function partSuffix(part: PartChoice): string {
  if ('origin' in part) return `.at-${part.origin.join('-')}`;
  const number = String(part.number).padStart(String(part.of).length, '0');
  return `.part-${number}-of-${part.of}`;
}

/** Whether `-o` names a folder: it exists as one, or ends in a slash. */
export async function isFolder(path: string): Promise<boolean> {
  if (path === standardStream) return false;
  if (/[/\\]$/.test(path)) return true;
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Creates a folder and its parents.
 * @param pending removes the folder if the files for it are discarded
 * @throws StriaError `not-writable`
 */
export async function makeFolder(path: string, pending?: PendingFiles): Promise<void> {
  try {
    const first = await mkdir(path, { recursive: true });
    if (first !== undefined) pending?.addFolder(resolve(path), resolve(first));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw systemFault('not-writable', path, error);
    throw new StriaError('not-writable', `${path} is a file, but the output is a folder; give another name with -o`);
  }
}
