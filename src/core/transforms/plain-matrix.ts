import { StriaError } from '../shared/errors.ts';
import { numberOf } from './numbers.ts';
import type { Transform } from './transform.ts';

/**
 * A matrix as text: four rows of four numbers, the last one 0 0 0 1, or only the first three. Numbers are separated by spaces,
 * tabs, commas or semicolons; brackets and lines that begin with # are skipped. Rows may share a line.
 * @throws StriaError `corrupt`, `unsupported`
 */
export function readPlainMatrix(text: string): Transform {
  const lines = text
    .split(/\r\n|\r|\n/)
    .filter((line) => !line.trimStart().startsWith('#'))
    .map((line) =>
      line
        .replace(/[[\],;]/g, ' ')
        .split(/\s+/)
        .filter((word) => word !== ''),
    )
    .filter((line) => line.length > 0);
  const words = lines.flat();
  if (words.length !== 16 && words.length !== 12)
    throw new StriaError('corrupt', `a matrix has four rows of four numbers, and this file has ${words.length} words`);
  // As MATLAB writes affine transforms. Read on as if they were three rows of four, its numbers would make another matrix.
  if (words.length === 12 && lines.length === 4)
    throw new StriaError('unsupported', 'the matrix has four rows of three numbers instead of three rows of four; transpose it');
  const numbers = words.map((word) => numberOf(word, 'the matrix'));
  const last = numbers.slice(12);
  if (last.some((value, at) => Math.abs(value - (at === 3 ? 1 : 0)) > 1e-9))
    throw new StriaError('unsupported', `the last row of the matrix is ${last.join(' ')} instead of 0 0 0 1`);
  return numbers.slice(0, 12);
}

export function writePlainMatrix(transform: Transform): string {
  const rows = [0, 4, 8].map((at) => transform.slice(at, at + 4).join(' '));
  return `${[...rows, '0 0 0 1'].join('\n')}\n`;
}
