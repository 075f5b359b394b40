import { basename, dirname, join, resolve } from 'node:path';
import { displayText } from '../../core/shared/display-text.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { formatOfEnding } from '../../core/shared/readable-formats.ts';
import { type FileFormat, type SourceDescription, writableFormats } from '../../core/shared/source.ts';
import { standardStream } from '../../core/shared/standard-streams.ts';
import { expectedNames } from './expected-names.ts';
import { isFolder, type OutputName } from './output-names.ts';

/**
 * Where each part of a source is restored, by the part's name: beside the container, in the folder or under the name from `-o`,
 * or on standard output. For a source in two parts the name is a stem: `-o brain` gives `brain.hdr` and `brain.img`. A raw
 * file's sidecar goes beside it. A detached header of NRRD or MetaImage gets the name from `-o`; its
 * data file keeps its own name, because the header contains it.
 * @throws StriaError `invalid-input`, for example if two parts would get the same name; `corrupt` if a part's name cannot be used
 */
export async function restoreOutputs(
  input: string,
  { format, parts }: Pick<SourceDescription, 'format' | 'parts'>,
  output: string | undefined,
): Promise<Map<string, OutputName>> {
  if (output === undefined || (await isFolder(output))) {
    const folder = output ?? dirname(input);
    for (const { name } of parts) plainName(name);
    const names = expectedNames({ format, parts }, exportBaseName(input));
    return new Map(parts.map(({ name }, at) => [name, { path: join(folder, names[at] as string), named: false }]));
  }
  if (output === standardStream && parts.length > 1) {
    const names = parts.map(({ name }) => name).join(' and ');
    throw new StriaError(
      'invalid-input',
      `the source consists of the files ${names}; name a file with -o, or use --to for a format in one file`,
    );
  }
  if (/\.gz$/i.test(output)) {
    throw new StriaError(
      'invalid-input',
      `${output}: Stria restores files uncompressed; leave out the .gz and run gzip afterwards`,
    );
  }
  const outputs = new Map(parts.map((part) => [part.name, partPath(part, { format, parts }, output)]));
  // Some file systems ignore case.
  const paths = new Set([...outputs.values()].map(({ path }) => resolve(path).toLowerCase()));
  if (paths.size < outputs.size) {
    throw new StriaError(
      'invalid-input',
      `${output} is the name of the data file, which the header contains; give the header another name with -o`,
    );
  }
  return outputs;
}

function partPath(
  part: SourceDescription['parts'][number],
  { format, parts }: Pick<SourceDescription, 'format' | 'parts'>,
  output: string,
): OutputName {
  if (parts.length === 1) return { path: output, named: true };
  switch (format) {
    case 'analyze':
    case 'nifti': {
      const ending = /\.[^.]+$/.exec(part.name)?.[0] ?? '';
      return { path: `${output.replace(/\.(hdr|img)$/i, '')}${ending}`, named: true };
    }
    case 'raw':
      return { path: part.hasVoxels ? output : `${output}.json`, named: true };
    case 'nrrd':
    case 'mha':
      if (!part.hasVoxels) return { path: output, named: true };
      return { path: join(dirname(output), plainName(part.name)), named: false };
    default:
      throw new StriaError('corrupt', `it describes ${parts.length} files where ${format} has one`);
  }
}

/** The folder for pictures, and the name of a single file or the stem of numbered ones if `-o` gives it. */
export interface PicturePlace {
  readonly folder: string;
  readonly name: string | undefined;
}

/**
 * Where pictures are restored: beside the container, or in the folder from `-o`. If `-o` has an ending, it is the name of the
 * single file, or the pattern for numbered ones (`-o out/a.png` gives `out/a-0001.png`).
 */
export async function picturePlace(input: string, output: string | undefined): Promise<PicturePlace> {
  if (output === undefined) return { folder: dirname(input), name: undefined };
  if (output === standardStream) return { folder: '', name: standardStream };
  if (!/\.(png|tiff?)$/i.test(output) || (await isFolder(output))) return { folder: output, name: undefined };
  return { folder: dirname(output), name: basename(output) };
}

/**
 * A path in each folder where `decompress` may write, for `offerLeftovers`. DICOM files get a folder with the container's name, or the one
 * from `-o`: `root`, which may get subfolders.
 */
export async function restorePlaces(
  input: string,
  output: string | undefined,
): Promise<{ readonly paths: readonly string[]; readonly root?: string }> {
  if (output === standardStream) return { paths: [] };
  const isPlace = output !== undefined && (await isFolder(output));
  const root = output === undefined ? join(dirname(input), exportBaseName(input)) : output;
  if (output === undefined || isPlace) return { paths: [...(isPlace ? [] : [input]), join(root, '_')], root };
  return { paths: [output] };
}

/** The name of an exported file without its ending: `scan` from `/data/scan.stria`. */
export function exportBaseName(input: string): string {
  return input === standardStream ? 'stdin' : basename(input).replace(/\.stria$/i, '');
}

/** A note if a part gets a name other than its name in the container, otherwise undefined. */
export function otherNameNote(ownName: string, path: string): string | undefined {
  if (basename(path) === ownName) return undefined;
  return `The source is called '${displayText(ownName)}', an unusual name for its format, so it was written as ${displayText(path)}. Use -o to choose a name.`;
}

/** A note if a name's ending belongs to a format other than the file's, otherwise undefined. */
export function endingNote(path: string, format: FileFormat): string | undefined {
  const promised = formatOfEnding(path);
  if (promised === undefined || promised === format) return undefined;
  const fact = `${displayText(path)} holds ${format} despite its ending`;
  const to = promised === 'zarr' ? 'ome-zarr' : promised;
  return isWritable(to) ? `${fact}; --to ${to} writes that format` : fact;
}

function isWritable(format: string): boolean {
  return (writableFormats as readonly string[]).includes(format);
}

/** A part's name comes from a file that may be hostile: it must not lead to another folder. */
function plainName(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) {
    throw new StriaError('corrupt', `it calls its source '${name}', which is not a plain file name; name the output with -o`);
  }
  return name;
}
