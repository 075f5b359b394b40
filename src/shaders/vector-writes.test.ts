import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// WGSL, 'Component Reference from Vector Memory View': a write to a vector's component may write the whole vector, as it does on
// Metal and Direct3D. If invocations write different components at the same time, values are lost there, and nowhere else.

const folder = new URL('.', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.wgsl'));

/** The variables in workgroup memory that are vectors or arrays of them. */
function vectorsOf(text: string): string[] {
  return [...text.matchAll(/var<workgroup>\s+(\w+):\s*(?:array<\s*)*vec[234]/g)].map((match) => match[1] as string);
}

const vectors = new Set(files.flatMap((name) => vectorsOf(readFileSync(new URL(name, folder), 'utf8'))));

/** Writes to components: `name[i].x = `, `name[i][j] = `, `name.x |= `. `name[i] = ` of a single vector is counted separately. */
function componentWrites(text: string): string[] {
  const writes: string[] = [];
  const code = text.replace(/\/\/.*$/gm, '');
  for (const [found, name = '', path = ''] of code.matchAll(
    /\b(wg_\w+)((?:\[[^\]=;]*\]|\.[xyzwrgba]+)+)\s*(?:[-+*/|&^%]|<<|>>)?=(?!=)/g,
  )) {
    if (!vectors.has(name)) continue;
    const isArray = new RegExp(`var<workgroup>\\s+${name}:\\s*array<`).test(allText);
    const steps = path.match(/\[[^\]]*\]|\.[xyzwrgba]+/g)?.length ?? 0;
    if (steps > (isArray ? 1 : 0)) writes.push(found.trim());
  }
  return writes;
}

const allText = files.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');

test('finds writes to components', () => {
  expect(vectors.size).toBeGreaterThan(5);
  const [name = ''] = vectors;
  const isArray = new RegExp(`var<workgroup>\\s+${name}:\\s*array<`).test(allText);
  const whole = isArray ? `${name}[i]` : name;
  expect(componentWrites(`${whole} = four;`)).toEqual([]);
  expect(componentWrites(`let a = ${whole}.x == 1u;`)).toEqual([]);
  expect(componentWrites(`${whole}.x = 1u;`)).toHaveLength(1);
  expect(componentWrites(`${whole}[row % 4u] |= 1u;`)).toHaveLength(1);
});

test.each(files)('%s writes vectors in workgroup memory as a whole', (name) => {
  expect(componentWrites(readFileSync(new URL(name, folder), 'utf8'))).toEqual([]);
});
