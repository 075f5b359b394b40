import { mkdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StriaError } from '../../core/shared/errors.ts';
import { standardStream } from '../../core/shared/standard-streams.ts';
import { volumeStem } from '../../core/shared/volume-names.ts';
import { systemFault } from '../../node/system-faults.ts';

/** A file to write, and whether its name is the user's own: only then is an existing file replaced without -f. */
export interface OutputName {
  readonly path: string;
  readonly named: boolean;
}

/** A volume's name without folder and endings: `scan` for `/data/scan.nii.gz`. */
export function stemOf(path: string): string {
  return volumeStem(basename(path));
}

/**
 * Whether the inputs of `compress` are one stack: several pictures of one kind, and `-o` names a .stria file.
 */
export async function isStack(inputs: readonly string[], output: string | undefined): Promise<boolean> {
  const isNamed = output !== undefined && /\.stria$/i.test(output) && !(await isFolder(output));
  return isNamed && inputs.length > 1 && [/\.png$/i, /\.tiff?$/i].some((ending) => inputs.every((input) => ending.test(input)));
}

/**
 * Where each input of `compress` goes. One input: `-o` is the file, or an existing folder. Several: `-o` is a folder.
 * Without `-o`: beside each input.
 * @throws StriaError `invalid-input` where two inputs would get one name, or several inputs one file, or standard input none
 */
export async function compressOutputs(inputs: readonly string[], output: string | undefined): Promise<OutputName[]> {
  if (inputs.length > 1 && output === standardStream) {
    throw new StriaError('invalid-input', 'standard output takes one .stria; with several inputs, name a folder with -o');
  }
  if (inputs.includes(standardStream) && (inputs.length > 1 || output === undefined || (await isFolder(output)))) {
    throw new StriaError('invalid-input', 'standard input is compressed by itself, into a file that -o names');
  }
  const toFolder = output !== undefined && (inputs.length > 1 || (await isFolder(output)));
  if (toFolder && inputs.length > 1 && (await exists(output)) && !(await isFolder(output))) {
    throw new StriaError('invalid-input', `${output}: with several inputs, -o names a folder, and this is a file`);
  }
  const outputs = inputs.map((input): OutputName => {
    if (output !== undefined && !toFolder) return { path: output, named: true };
    return { path: join(toFolder ? output : dirname(input), `${stemOf(input)}.stria`), named: false };
  });
  const taken = new Map<string, string>();
  for (const [index, { path }] of outputs.entries()) {
    const input = inputs[index] as string;
    const other = taken.get(path);
    if (other !== undefined) {
      throw new StriaError('invalid-input', `${other} and ${input} would both become ${path}; compress them one by one with -o`);
    }
    taken.set(path, input);
  }
  return outputs;
}

/** Whether `-o` means a folder: it is one, or ends in a slash. */
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

/** Makes a folder, with those that it lies in. @throws StriaError `not-writable` */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    throw systemFault('not-writable', path, error);
  }
}
