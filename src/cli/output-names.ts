import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StriaError } from '../core/shared/errors.ts';

/** Endings of volumes, which a derived name drops. */
const volumeEndings = /\.(nii|hdr|img|nrrd|nhdr|raw|vol|bin|dat)$/i;

/** A file to write, and whether its name is the user's own: only then is an existing file replaced without -f. */
export interface OutputName {
  readonly path: string;
  readonly named: boolean;
}

/** A volume's name without folder and endings: `scan` for `/data/scan.nii.gz`. */
export function stemOf(path: string): string {
  const name = basename(path);
  const stem = name.replace(/\.gz$/i, '').replace(volumeEndings, '');
  return stem === '' ? name : stem;
}

/**
 * Where each input of `compress` goes. One input: `-o` is the file, or an existing folder. Several: `-o` is a folder.
 * Without `-o`: beside each input.
 * @throws StriaError `invalid-input` where two inputs would get one name, or several inputs one file
 */
export async function compressOutputs(inputs: readonly string[], output: string | undefined): Promise<OutputName[]> {
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
