// Generates the linter's import rules and the table in docs/ARCHITECTURE.md from scripts/rooms.mjs. `npm run rooms` writes
// both; `--check`, a part of `npm run lint`, checks that they are up to date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { rooms } from './rooms.mjs';

const root = new URL('..', import.meta.url);
const words = (text = '') => text.split(' ').filter(Boolean);
const names = new Set(rooms.map(({ room }) => room));
const problems = [];

/** Folders below `src` that contain files with these endings, such as `core/gpu`. */
function foldersWith(endings, folder = 'src') {
  const entries = readdirSync(new URL(`${folder}/`, root), { withFileTypes: true });
  const here = entries.some((entry) => entry.isFile() && endings.test(entry.name)) ? [folder.slice('src/'.length)] : [];
  return [
    ...here,
    ...entries.filter((entry) => entry.isDirectory()).flatMap(({ name }) => foldersWith(endings, `${folder}/${name}`)),
  ];
}

/** The import specifiers with which a file of a room imports a folder or file of the project. */
function specifier(room, target) {
  const isFile = target.endsWith('.json');
  const isOutside = isFile || target.startsWith('resources');
  const path = posix.relative(`src/${room}`, isOutside ? target : `src/${target}`);
  return isFile ? path : `${path.startsWith('.') ? path : `./${path}`}/*`;
}

function ruleOf({ room, imports, packages }) {
  const own = words(imports).map((target) => specifier(room, target));
  const foreign = words(packages).flatMap((name) => [name, `${name}/**`]);
  return {
    includes: [`src/${room}/*`, '!**/*.test.ts', '!**/*testing.ts'],
    linter: {
      rules: {
        style: {
          noRestrictedImports: {
            level: 'error',
            options: {
              patterns: [
                {
                  group: ['**', './**', '!./*', ...[...own, ...foreign].map((allowed) => `!${allowed}`)],
                  message: `scripts/rooms.mjs does not let ${room} import this.`,
                },
              ],
            },
          },
        },
      },
    },
  };
}

/** A cycle of rooms that import each other; undefined if there is none. */
function findCycle() {
  const imports = new Map(rooms.map((row) => [row.room, words(row.imports).filter((name) => names.has(name))]));
  const done = new Set();
  const visit = (room, path) => {
    if (path.includes(room)) return [...path.slice(path.indexOf(room)), room];
    if (done.has(room)) return undefined;
    for (const next of imports.get(room)) {
      const cycle = visit(next, [...path, room]);
      if (cycle) return cycle;
    }
    done.add(room);
    return undefined;
  };
  return rooms.map(({ room }) => visit(room, [])).find(Boolean);
}

for (const folder of foldersWith(/\.tsx?$/)) {
  if (folder !== '' && !names.has(folder))
    problems.push(`src/${folder} is not in scripts/rooms.mjs: add a row that says what it holds`);
}
const shaders = new Set(foldersWith(/\.wgsl$/));
for (const { room, imports } of rooms) {
  for (const target of words(imports)) {
    const isKnown = names.has(target) || shaders.has(target) || target.endsWith('.json') || target.startsWith('resources');
    if (!isKnown) problems.push(`${room} imports ${target}, which does not exist`);
  }
}
const cycle = findCycle();
if (cycle) problems.push(`rooms import each other: ${cycle.join(' → ')}`);

const table = [
  '| room | holds | may import |',
  '| --- | --- | --- |',
  ...rooms.map(({ room, holds, imports, packages }) => {
    const packageNames = words(packages).map((name) => `\`${name}\``);
    const all = [...words(imports), ...packageNames].join(', ');
    return `| ${room} | ${holds} | ${all || 'nothing'} |`;
  }),
].join('\n');

const outputs = [
  ['biome.rooms.json', () => `${JSON.stringify({ root: false, overrides: rooms.map(ruleOf) }, undefined, 2)}\n`],
  [
    'docs/ARCHITECTURE.md',
    (text) =>
      text.replace(/(<!-- rooms: .*? -->\n)[\s\S]*?(\n<!-- end of rooms -->)/, (_, start, end) => `${start}\n${table}\n${end}`),
  ],
];
const isCheck = process.argv.includes('--check');
for (const [path, make] of outputs) {
  const file = new URL(path, root);
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch {}
  const wanted = make(text);
  if (wanted === text) continue;
  if (isCheck) problems.push(`${path} is not what scripts/rooms.mjs says: run npm run rooms`);
  else writeFileSync(file, wanted);
}
for (const problem of problems) console.error(`rooms: ${problem}`);
if (problems.length > 0) process.exit(1);
