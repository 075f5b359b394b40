import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The files named on a command line, as absolute paths. Switches are left out; after `--` everything is a file.
 * @param argv the program, then, unless `packaged`, the app's entry (`electron . scan.nii`), then the arguments
 */
export function fileArguments(argv: readonly string[], workingFolder: string, packaged: boolean): string[] {
  const words: string[] = [];
  let onlyFiles = false;
  for (const argument of argv.slice(1)) {
    if (!onlyFiles && argument === '--') onlyFiles = true;
    else if (argument !== '' && (onlyFiles || !argument.startsWith('-'))) words.push(argument);
  }
  const files = packaged ? words : words.slice(1);
  return files.map((word) => (word.startsWith('file:') ? filePathOf(word) : resolve(workingFolder, word)));
}

function filePathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url;
  }
}
