import { StriaError } from '../../shared/errors.ts';

const mostLineBytes = 2 ** 20;

/**
 * The lines of a text, without spaces around them and without empty ones.
 * @param continues whether a line that ends with `\` goes on, unless it is a comment
 * @throws StriaError `corrupt`
 */
export function* linesOf(bytes: Uint8Array, { start = 0, continues = false } = {}): Generator<string> {
  const decoder = new TextDecoder();
  let before = '';
  let feed = -1;
  for (let at = start; at < bytes.byteLength; ) {
    if (feed < at) {
      const found = bytes.indexOf(10, at);
      feed = found < 0 ? bytes.byteLength : found;
    }
    // Lines that end with a return alone are taken together, up to the limit.
    const back = feed - at > mostLineBytes ? bytes.lastIndexOf(13, at + mostLineBytes - before.length) : -1;
    const end = back >= at ? back : feed;
    if (end - at + before.length > mostLineBytes) throw new StriaError('corrupt', 'the text has a line of more than 1 MiB');
    // Old Macs end lines with a return alone.
    for (const line of decoder.decode(bytes.subarray(at, end)).split('\r')) {
      const text = (before + line).trim();
      before = continues && text.endsWith('\\') && !text.startsWith('#') ? `${text.slice(0, -1)} ` : '';
      if (before === '' && text !== '') yield text;
    }
    at = end + 1;
  }
  if (before.trim() !== '') yield before.trim();
}

/** @throws StriaError `corrupt` for what is not a number */
export function numberIn(word: string | undefined, what: string): number {
  const number = word === undefined || word === '' ? Number.NaN : Number(word);
  if (Number.isFinite(number)) return number;
  throw new StriaError(
    'corrupt',
    `${what} has ${word === undefined ? 'nothing' : JSON.stringify(word.slice(0, 40))} instead of a number`,
  );
}

/** Whether a comment says that coordinates are LPS. 3D Slicer writes them so, and says it in every file. */
export function saysLps(text: string): boolean {
  return /\bSPACE=LPS\b/.test(text);
}

/** From LPS to RAS. */
export const lpsToRas = [-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0] as const;
