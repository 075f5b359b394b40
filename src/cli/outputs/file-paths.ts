import { dirname, join } from 'node:path';
import type { SourceFile } from '../../core/io/common/files-table.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { standardStream } from '../../core/shared/standard-streams.ts';
import { areExpectedPaths } from './expected-names.ts';
import { isFolder, type OutputName } from './output-names.ts';
import { exportBaseName } from './restore-names.ts';

/**
 * The output paths for a source with several files: in the folder that `-o` names, or in a new folder beside the container with its
 * name. A single file is written beside the container, into a folder, or under the name from `-o`.
 * @throws StriaError `invalid-input`
 */
export async function filePaths(
  files: readonly SourceFile[],
  input: string,
  output: string | undefined,
): Promise<(name: string) => OutputName> {
  const baseName = exportBaseName(input);
  const names = files.map(({ name }) => name);
  // Unexpected names are replaced by numbers.
  const isExpected = areExpectedPaths(names);
  const digits = Math.max(4, String(names.length).length);
  const numbered = new Map(names.map((name, index) => [name, `${baseName}-${String(index + 1).padStart(digits, '0')}.dcm`]));
  const plain = (name: string) => (isExpected ? join(...name.split('/')) : (numbered.get(name) as string));
  if (names.length > 1 && output === standardStream) {
    throw new StriaError(
      'invalid-input',
      `the source consists of ${names.length} files; name a folder with -o, or use --to for one file`,
    );
  }
  if (names.length === 1 && output !== undefined && !(await isFolder(output))) return () => ({ path: output, named: true });
  const folder = output ?? (names.length === 1 ? dirname(input) : join(dirname(input), baseName));
  const only = names.length === 1;
  // A single file is restored without its folders.
  return (name) => ({ path: join(folder, only ? (plain(name).split(/[/\\]/).at(-1) as string) : plain(name)), named: false });
}
