import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type PictureSession, placeOf, SessionHosts } from './session-places.ts';

const sessionAt = (path: string) => ({ path }) as PictureSession;
const fileAt = (path: string, address?: string) => ({ path, address, size: 1 });

test('a file of a session lies at its address, or where the session lies', () => {
  const local = sessionAt(join('figures', 'a.stria-session'));
  expect(placeOf(local, fileAt('../data/scan.nii'))).toBe(join('data', 'scan.nii'));
  expect(placeOf(local, fileAt('scan.nii', 'https://example.org/scan.nii'))).toBe('https://example.org/scan.nii');
  const remote = sessionAt('https://example.org/d/figures/a.stria-session?key=1');
  expect(placeOf(remote, fileAt('scan 1#.nii'))).toBe('https://example.org/d/figures/scan%201%23.nii?key=1');
  expect(placeOf(remote, fileAt('../data/scan.nii'))).toBe('https://example.org/d/data/scan.nii?key=1');
  // A path cannot name another host.
  expect(placeOf(remote, fileAt('//other.org/x'))).toMatch(/^https:\/\/example\.org\//);
});

test('only hosts that the command names, or that the user allows, are connected to', async () => {
  const session = sessionAt('a.stria-session');
  const source = {
    files: [fileAt('a', 'https://a.org/a'), fileAt('b', 'https://b.org/b'), fileAt('c', 'https://b.org/c'), fileAt('d')],
  };
  const asked: string[] = [];
  const hostsOf = (answer: boolean | undefined, ...named: readonly string[]) => {
    const ask = async (question: string) => {
      asked.push(question);
      return answer;
    };
    return SessionHosts.ask(session, [source], named, { ask }, new AbortController().signal);
  };
  const yes = await hostsOf(true, 'https://a.org/x');
  expect(asked).toEqual(['The session refers to b.org. Connect to it?']);
  for (const place of ['https://a.org/a', 'https://b.org/c', 'd']) expect(() => yes.check(place)).not.toThrow();
  const no = await hostsOf(false);
  expect(() => no.check('https://a.org/a?key=1')).toThrow('https://a.org/a: you chose not to connect');
  const nobody = await hostsOf(undefined, 'scan.nii');
  expect(() => nobody.check('https://a.org/a')).toThrow('there is no terminal to ask on');
  expect(() => nobody.check('d')).not.toThrow();
});
