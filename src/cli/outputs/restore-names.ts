import { basename, dirname, join } from 'node:path';
import { displayText } from '../../core/shared/display-text.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { formatOfEnding } from '../../core/shared/readable-formats.ts';
import type { FileFormat, SourceDescription } from '../../core/shared/source.ts';
import { standardStream } from '../../core/shared/standard-streams.ts';
import { expectedNames } from './expected-names.ts';
import { isFolder, type OutputName } from './output-names.ts';

/**
 * Where each part of a source is restored, by the part's name: beside the container, in the folder that `-o` names, under
 * the name that it gives, or on standard output. Of two parts the name is a stem: `-o brain` gives `brain.hdr` and `brain.img`; a raw file's
 * sidecar goes beside it; a detached header of NRRD or MetaImage gets the name, and the data file keeps its own, which the header holds.
 * @throws StriaError `invalid-input`; `corrupt` where a part's name cannot be used
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
      `its source is the files ${names}; name a file with -o, or use --to for a format in one file`,
    );
  }
  if (/\.gz$/i.test(output)) {
    throw new StriaError(
      'invalid-input',
      `${output}: Stria restores files uncompressed; leave out the .gz, and gzip it afterwards`,
    );
  }
  return new Map(parts.map((part) => [part.name, partPath(part, { format, parts }, output)]));
}

function partPath(
  part: SourceDescription['parts'][number],
  { format, parts }: Pick<SourceDescription, 'format' | 'parts'>,
  output: string,
): OutputName {
  if (parts.length === 1) return { path: output, named: true };
  switch (format) {
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
    case 'png':
    case 'tiff':
      throw new StriaError('corrupt', `it tells of ${parts.length} stacks of pictures in one`);
  }
}

/** Where pictures go: `name` for the only file, or the stem of numbered ones, where `-o` gives one; and their folder. */
export interface PicturePlace {
  readonly folder: string;
  readonly name: string | undefined;
}

/**
 * Where pictures are restored: beside the container, or in the folder that `-o` names. An ending makes `-o` a file's name: of
 * the only file, or of several, which are numbered by it (`-o out/a.png` gives `out/a-0001.png`).
 */
export async function picturePlace(input: string, output: string | undefined): Promise<PicturePlace> {
  if (output === undefined) return { folder: dirname(input), name: undefined };
  if (output === standardStream) return { folder: '', name: standardStream };
  if (!/\.(png|tiff?)$/i.test(output) || (await isFolder(output))) return { folder: output, name: undefined };
  return { folder: dirname(output), name: basename(output) };
}

/** What a file is called that is exported: `scan.nrrd` from `/data/scan.stria`. */
export function exportBaseName(input: string): string {
  return input === standardStream ? 'stdin' : basename(input).replace(/\.stria$/i, '');
}

/** A note where a part is not restored under the name that it has in the container; undefined where it is. */
export function otherNameNote(ownName: string, path: string): string | undefined {
  if (basename(path) === ownName) return undefined;
  return `The source is called '${displayText(ownName)}', which is no usual name for it: written as ${displayText(path)}. -o names it otherwise.`;
}

/** A note where a name's ending promises another format than the file has; undefined where all is well. */
export function endingNote(path: string, format: FileFormat): string | undefined {
  const promised = formatOfEnding(path);
  if (promised === undefined || promised === format) return undefined;
  return `${displayText(path)} holds ${format}, whatever its ending says; --to ${promised} writes the other`;
}

/** The name of a part comes out of a file, which may be hostile: it must not lead elsewhere. */
function plainName(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) {
    throw new StriaError('corrupt', `it calls its source '${name}', which is no plain file name; name the output with -o`);
  }
  return name;
}
