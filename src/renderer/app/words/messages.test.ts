import { describe, expect, it } from 'vitest';
import { unrecognised } from '../../../core/io/unrecognised.ts';
import { faultTags } from '../../../core/shared/errors.ts';
import { faultDetails, faultWords, wordsOf } from './messages.ts';

describe('fault words', () => {
  it('has a title and advice for every tag', () => {
    expect(Object.keys(faultWords).sort()).toEqual([...faultTags].sort());
    for (const words of Object.values(faultWords)) {
      expect(words.title).toMatch(/^[A-Z].*[^.!]$/);
      expect(words.advice).toMatch(/^[A-Z].*\.$/);
      expect(words.advice).not.toContain('!');
    }
  });

  it('does not mention kinds of files when something is saved', () => {
    expect(wordsOf('unsupported', 'saving').title).toBe('This is not possible here');
    expect(wordsOf('unsupported').title).toContain('kind of file');
    expect(wordsOf('not-writable', 'saving')).toBe(faultWords['not-writable']);
  });

  it('leaves the list of formats to the message, which has it only for an unknown format', () => {
    expect(faultWords.unsupported.advice).not.toContain('NRRD');
    expect(unrecognised('a.xyz', new Uint8Array([1, 2, 3])).message).toContain('NRRD');
  });

  it('puts the context before the details', () => {
    expect(faultDetails({ tag: 'corrupt', message: 'ends early', context: ['scan.stria', 'chunk 12'] })).toBe(
      'scan.stria, chunk 12: ends early',
    );
    expect(faultDetails({ tag: 'corrupt', message: 'ends early', context: [] })).toBe('ends early');
  });
});

it('invisible characters in names and texts from files are escaped', () => {
  const fault = { tag: 'unsupported', message: "the type '\u001b[31m\u202e' is unknown", context: ['a\u009b.nrrd'] } as const;
  expect(faultDetails(fault)).toBe("a\\u009b.nrrd: the type '\\u001b[31m\\u202e' is unknown");
});
