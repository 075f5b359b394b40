import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const script = fileURLToPath(new URL('../scripts/side-by-side.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'side by side '));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test.skipIf(process.platform === 'win32')(
  'side-by-side.mjs fails if a script fails; a signal ends what the scripts started',
  async () => {
    const wait = `console.log('begun'); require('fs').writeFileSync('pid', String(process.pid)); setTimeout(() => {}, 60000)`;
    const scripts = { fine: 'echo fine', bad: 'echo worse >&2 && exit 7', waits: `node -e "${wait}"` };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts }));
    const start = (...names: string[]) => {
      const child = spawn(process.execPath, [script, ...names], { cwd: folder });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
      return {
        child,
        ended: new Promise<{ code: number | null; output: string }>((end) =>
          child.once('close', (code) => end({ code, output })),
        ),
      };
    };
    const mixed = await start('fine', 'bad').ended;
    expect(mixed).toMatchObject({ code: 1, output: expect.stringContaining('FAILED with exit code 7') });
    expect(mixed.output).toContain('side-by-side: failed: bad');
    expect((await start('fine').ended).code).toBe(0);
    const inTurn = await start('fine && npm run bad').ended;
    expect(inTurn).toMatchObject({
      code: 1,
      output: expect.stringMatching(/> npm run fine && npm run bad\nfine\n[\s\S]*worse\n/),
    });
    const stopsEarly = await start('bad && npm run fine').ended;
    expect(stopsEarly.code).toBe(1);
    // What a script that is not the last writes to stderr comes with its output, below the header.
    expect(stopsEarly.output).toMatch(/> npm run bad && npm run fine\nworse\n/);
    expect(stopsEarly.output).not.toMatch(/^fine$/m);
    const { child, ended } = start('waits', 'fine');
    const pid = () => {
      try {
        return Number(readFileSync(join(folder, 'pid'), 'utf8'));
      } catch {
        return 0;
      }
    };
    await expect.poll(pid, { timeout: 20_000 }).toBeGreaterThan(0);
    child.kill('SIGTERM');
    const stopped = await ended;
    expect(stopped.code).toBe(1);
    expect(stopped.output).toContain('begun');
    await expect.poll(() => isThere(pid()), { timeout: 5000 }).toBe(false);
  },
);
