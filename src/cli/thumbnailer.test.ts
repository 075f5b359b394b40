import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signature } from '../core/format/layout.ts';
import { parseCommand } from './arguments/args.ts';
import { commandFiles } from './command-files.ts';
import { mediaTypes, thumbnailer } from './thumbnailer.ts';

test('the thumbnailer’s line is a command, with a square of the size that is asked for', () => {
  const [, line = ''] = /^Exec=stria (.+)$/m.exec(thumbnailer()) ?? [];
  const filled: Readonly<Record<string, string>> = { '%i': '/a/scan.stria', '%o': '/tmp/x', '%s': '256' };
  expect(parseCommand(line.split(' ').map((word) => filled[word] ?? word))).toMatchObject({
    name: 'picture',
    input: '/a/scan.stria',
    output: '/tmp/x',
    width: 256,
    height: 256,
    quiet: true,
  });
  expect(commandFiles()).toMatchObject({ 'stria.thumbnailer': thumbnailer(), 'stria-mime.xml': mediaTypes() });
});

test('the media types have the file’s signature and those that the thumbnailer names', () => {
  const [, value = ''] = /value="([^"]+)"/.exec(mediaTypes()) ?? [];
  const bytes = value.replace(/\\x([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  expect([...bytes].map((letter) => letter.charCodeAt(0))).toEqual([...signature]);
  const [, types = ''] = /^MimeType=(.+);$/m.exec(thumbnailer()) ?? [];
  const own = types.split(';').filter((type) => type.includes('stria'));
  expect(own).toHaveLength(2);
  for (const type of own) expect(mediaTypes()).toContain(`<mime-type type="${type}">`);
});

const hasDatabase = spawnSync('update-mime-database', ['-v']).status === 0;

test.runIf(hasDatabase)('the system’s tool takes the media types', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stria-mime-'));
  try {
    mkdirSync(join(folder, 'packages'));
    writeFileSync(join(folder, 'packages/stria-mime.xml'), mediaTypes());
    execFileSync('update-mime-database', [folder], { stdio: 'pipe' });
    expect(readFileSync(join(folder, 'globs2'), 'utf8')).toContain('application/x-stria:*.stria\n');
    expect(readFileSync(join(folder, 'magic'), 'latin1')).toContain('\x89STRIA\r\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
