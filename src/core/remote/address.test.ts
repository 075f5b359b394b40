import { expect, test } from 'vitest';
import { isAddress, nameOfAddress, urlOfAddress } from './address.ts';

test.each([
  ['https://example.org/a.stria#top', 'https://example.org/a.stria'],
  [' https://example.org/a.stria?key=1\n', 'https://example.org/a.stria?key=1'],
  ['s3://my-bucket/data/a b#1.nii.gz', 'https://my-bucket.s3.amazonaws.com/data/a%20b%231.nii.gz'],
  ['S3://my.bucket/a.zarr', 'https://s3.amazonaws.com/my.bucket/a.zarr'],
  ['gs://bucket/a/b.zarr/', 'https://storage.googleapis.com/bucket/a/b.zarr/'],
])('%s is asked at %s', (address, url) => {
  expect(urlOfAddress(address).href).toBe(url);
});

test.each([
  ['ftp://example.org/a', 'must begin with https://'],
  ['scan.nii', 'must begin with https://'],
  ['https://', 'must begin with https://'],
  ['https://me:secret@example.org/a', 'leave them out'],
  ['s3://a_/b', 'not the name of a bucket'],
  ['s3://evil.example?/b', 'not the name of a bucket'],
])('%s is refused', (address, words) => {
  expect(() => urlOfAddress(address)).toThrow(words);
  expect(() => urlOfAddress(address)).not.toThrow('secret@');
});

test('names come from the path, and never lead to another folder', () => {
  expect(nameOfAddress(new URL('https://example.org/a/b%20c.nii.gz?x=1'))).toBe('b c.nii.gz');
  expect(nameOfAddress(new URL('https://example.org/'))).toBe('example.org');
  expect(nameOfAddress(new URL('https://example.org/..%2F..%2Fetc%5Cx'))).toBe('.._.._etc_x');
  expect(nameOfAddress(new URL('https://example.org/a%ff.nii'))).toBe('a%ff.nii');
  expect(['https://a', 's3://a', 'HTTP://a', 'C:\\a', 'a/b', 'https:/a'].map(isAddress)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
