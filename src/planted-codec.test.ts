import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { CodecDefinition } from './core/codec/codec.ts';

// A new codec is one folder and one line in the registry. Here that line is planted, and everything else is loaded anew.

const planted = 'planted';

beforeAll(async () => {
  vi.resetModules();
  const { codecs } = await import('./core/codecs/registry.ts');
  const raw = codecs.find(({ name }) => name === 'raw') as CodecDefinition;
  const { standsAlone: _, ...rest } = raw;
  const codec = {
    ...rest,
    id: 77,
    name: planted,
    summary: 'A planted codec.',
    options: ['effort'],
    reason: 'planted here',
  } as const;
  (codecs as CodecDefinition[]).push(codec);
});
afterAll(() => vi.resetModules());

test('the app’s menu offers it, alone and in front of an entropy coder, with its options', async () => {
  const { codecMenu, takesOption } = await import('./renderer/app/words/codec-options.ts');
  expect(codecMenu()).toContainEqual({ key: planted, label: planted, hint: 'A planted codec.' });
  expect(codecMenu().map(({ key }) => key)).toContain(`${planted}+huffman`);
  expect(takesOption(planted, 'effort')).toBe(true);
  expect(takesOption(planted, 'axis')).toBe(false);
});

test('a chunk that it encoded has its reason', async () => {
  const { reasonOf } = await import('./renderer/app/words/ways.ts');
  expect(reasonOf({ codec: planted })).toBe('planted here');
});

test('settings and session files keep it', async () => {
  const { readSettings } = await import('./renderer/app/state/settings.ts');
  const storage = { getItem: () => JSON.stringify({ codec: planted }) } as unknown as Storage;
  expect(readSettings(storage).codec).toBe(planted);
});

test('the command takes it and its help names it', async () => {
  const { commandHelp } = await import('./cli/help.ts');
  expect(commandHelp('compress')).toContain(planted);
  const { parseCommand } = await import('./cli/arguments/args.ts');
  expect(parseCommand(['compress', 'a.nii', '--codec', planted])).toMatchObject({ codec: planted });
});

test('the benchmark measures it', async () => {
  const { parseCommand } = await import('./cli/arguments/args.ts');
  expect(parseCommand(['bench'])).toMatchObject({ codecs: expect.arrayContaining([planted]) });
});

test('the automatic choice ranks it', async () => {
  const { rank } = await import('./core/chunks/auto.ts');
  const { survey } = await import('./core/codec/survey.ts');
  const chunk = { bytes: new Uint8Array(64).fill(3), shape: [4, 4, 4], elementBytes: 1 } as const;
  const ranked = rank({ changes: [0, 0, 0], ...survey(chunk) }, chunk, { axis: 'auto' });
  expect(ranked.map(({ codec }) => codec.name)).toContain(planted);
});
