/** SPEC.md's tables of codes, read from SPEC.md itself, for the plain decoder beside this file. Imported only by tests. */
import specification from './SPEC.md?raw';

/** The table below a sentence: 'of three hexadecimal digits each' */
function tableBelow(sentence: string): number[] {
  const [, digits = ''] = /```\n([0-9a-f\n]+)```/.exec(specification.slice(specification.indexOf(sentence))) ?? [];
  return [...digits.replaceAll('\n', '').matchAll(/.../g)].map(([number]) => Number.parseInt(number, 16));
}

/** SPEC.md, 'Special values' */
export const chances = tableBelow('The chances, of three hexadecimal digits each, by context:');

/** SPEC.md, 'Tokens': 'A line has the tokens 0 to 25. Lines are by level, 0 to 31, and for each level by phase, 0 to 3' */
export const frequencies = tableBelow('The frequencies, of three hexadecimal digits each.');
