import { expect, test } from 'vitest';
import { StriaError } from '../shared/errors.ts';
import { codecById, codecByName, codecs } from './registry.ts';

test('ids and names are unique and can be looked up', () => {
  expect(new Set(codecs.map((codec) => codec.id)).size).toBe(codecs.length);
  for (const codec of codecs) {
    expect(codecById(codec.id)).toBe(codec);
    expect(codecByName(codec.name)).toBe(codec);
    expect(codec.id).toBeGreaterThan(0);
  }
});

test('ids that files contain never change', () => {
  expect(codecById(1).name).toBe('raw');
  expect(codecById(2).name).toBe('rle');
  expect(codecById(4).name).toBe('parle');
});

test('an unknown id is reported as unsupported, an unknown name as invalid input', () => {
  expect(() => codecById(77)).toThrow(StriaError);
  expect(() => codecById(77)).toThrow(/codec 77/);
  expect(() => codecById(0)).toThrow(/codec 0/);
  expect(() => codecByName('zip')).toThrow(/no codec 'zip'; there are rle/);
});
