import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutNames } from './without-names.ts';

test.each([
  ["'Doe Jane.nii' cannot be read: the disk is full", '<name> cannot be read: the disk is full'],
  ['Doe_Jane.nii.gz: the payload ends 3 bytes early', '<name>: the payload ends 3 bytes early'],
  ['cannot open /home/jane doe/scans/a b.nii: ENOENT', 'cannot open <path>: ENOENT'],
  ['C:\\Users\\Jane Doe\\scan.nii: EACCES', '<path>: EACCES'],
  ['\\\\server\\Doe\\scan.dcm, chunk 3', '<path>, chunk 3'],
  ['~/doe/scan.stria (2)', '<path> (2)'],
  ['no answer from https://doe.example/a.stria?token=1', 'no answer from <address>'],
  ['“Doe” and ‘Jane’ and "Doe Jane"', '<name> and <name> and <name>'],
  ['cannot open /data/Doe, Jane (1970)/scan.nii: ENOENT', 'cannot open <path>: ENOENT'],
  ['C:\\Data\\Doe, Jane (1970)\\scan.nii: EACCES', '<path>: EACCES'],
  ['/data/Doe, Jane; 1970.nii: EACCES', '<path>: EACCES'],
  ['Doe, Jane.nii: bad', '<name>: bad'],
  ['Error: Doe Jane 1970.nii.gz: bad', 'Error: <name>: bad'],
  ["it isn't there, and can't be", "it isn't there, and can't be"],
  ['3/8 of 512 × 512, 12 MB/s and/or 0.5', '3/8 of 512 × 512, 12 MB/s and/or 0.5'],
  [
    'TypeError: x is undefined\n  at f (app://stria/assets/index-a1.js:12:34)',
    'TypeError: x is undefined\n  at f (assets/index-a1.js:12:34)',
  ],
  ['at http://127.0.0.1:8080/lab/assets/load.worker-b.js:1:2', 'at assets/load.worker-b.js:1:2'],
])('%s', (text, expected) => {
  expect(withoutNames(text)).toBe(expected);
});

test('what is known to be a name is left out wherever it is', () => {
  expect(withoutNames('reading Doe Jane, 3 of Doe', ['Doe', 'Doe Jane', '', 'a'])).toBe('reading <name>, 3 of <name>');
});

test('no folder and no file name is left of any path', () => {
  const part = fc.stringMatching(/^[A-Z][a-z]{3,8}((, | \(|; |' )[A-Z][a-z]{3,8}\)?)?$/);
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), fc.constantFrom('/', 'C:\\', '\\\\', '~/'), (parts, root) => {
      const path = root + parts.join(root.includes('\\') ? '\\' : '/');
      for (const text of [`cannot read ${path}.nii`, `${path}: no`, `(${path})`, `at ${path}, chunk 1`]) {
        const left = withoutNames(text);
        for (const one of parts) for (const word of one.match(/[A-Z][a-z]+/g) ?? []) expect(left).not.toContain(word);
      }
    }),
  );
});
