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
        const at = (other: string) => join(id.slice(0, -path.length), other);
        const read = (other: string) => (existsSync(at(other)) ? readFileSync(at(other), 'utf8') : undefined);
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
  const { pieces, imports } = parseShader(source, path);
  const used = new Set(pieces.flatMap(({ text }) => text.match(/\b[a-zA-Z_]\w*/g) ?? []));
  const up = '../'.repeat(path.split('/').length - 1) || './';
  const head: string[] = [];
  const entries = imports.map(({ from, names, when, line }, i) => {
    const isFile = from !== 'constants';
    const text = isFile ? read(from) : '';
    if (text === undefined) throw new SyntaxError(`${path}:${line}: there is no ${from}`);
    const declared = isFile ? parseShader(text, from).names : new Set(names);
    for (const name of names) {
      if (!declared.has(name)) throw new SyntaxError(`${path}:${line}: ${from} declares no ${name}`);
      if (!used.has(name)) throw new SyntaxError(`${path}:${line}: ${name} is not used`);
    }
    if (isFile) head.push(`import file${i} from ${JSON.stringify(up + from)};`);
    return `{ from: ${isFile ? `() => file${i}` : "'constants'"}, ...${JSON.stringify({ names, when })} }`;
  });
  const body = `path: ${JSON.stringify(path)}, pieces: ${JSON.stringify(pieces)}, imports: [${entries.join(', ')}]`;
  return [...head, `export default { ${body} };`].join('\n');
}
