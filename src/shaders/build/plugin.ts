import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { parseShader } from './parse.ts';

const root = '/src/shaders/';

/** Turns each .wgsl file into a module that exports a `ShaderFile` and imports the modules of the files it names. */
export function wgsl(): Plugin {
  return {
    name: 'stria-wgsl',
    enforce: 'pre',
    transform: {
      filter: { id: /\.wgsl$/ },
      handler(source, id) {
        const path = id.slice(id.lastIndexOf(root) + root.length);
        const read = (other: string) => readIfThere(join(id.slice(0, -path.length), other));
        return { code: moduleOf(source, path, read), map: null };
      },
    },
  };
}

/**
 * @param path and `read`'s: below src/shaders
 * @throws SyntaxError with path and line if an import names something that does not exist or is not used
 */
export function moduleOf(source: string, path: string, read: (path: string) => string | undefined): string {
  const { pieces, imports, constants } = parseShader(source, path);
  const used = new Set(pieces.flatMap(({ text }) => text.match(/\b[a-zA-Z_]\w*/g) ?? []));
  for (const { path: from, names, line } of imports) {
    const text = read(from);
    if (text === undefined) throw new SyntaxError(`${path}:${line}: there is no ${from}`);
    const declared = parseShader(text, from).names;
    for (const name of names) {
      if (!declared.has(name)) throw new SyntaxError(`${path}:${line}: ${from} declares no ${name}`);
      if (!used.has(name)) throw new SyntaxError(`${path}:${line}: ${name} is not used`);
    }
  }
  const up = '../'.repeat(path.split('/').length - 1) || './';
  return [
    ...imports.map(({ path: from }, i) => `import file${i} from ${JSON.stringify(up + from)};`),
    'export default {',
    `  path: ${JSON.stringify(path)},`,
    `  pieces: ${JSON.stringify(pieces)},`,
    `  imports: [${imports.map(({ when }, i) => `{ file: () => file${i}, when: ${JSON.stringify(when)} }`).join(', ')}],`,
    `  constants: ${JSON.stringify(constants)},`,
    '};',
  ].join('\n');
}

function readIfThere(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
