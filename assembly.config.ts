import { createHash } from 'node:crypto';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import asc from 'assemblyscript/asc';
import type { Plugin } from 'vite';
import { decodeBase64 } from './wasm.config.ts';

const suffix = '?assembly';
const marker = '\0assembly:';
const sources = resolve('src/assembly');
const cache = resolve('node_modules/.cache/assembly');

/** SIMD; no garbage collector, since nothing in src/assembly allocates. */
const options = ['--enable', 'simd', '--runtime', 'stub', '-O3', '--noAssert', '--disableWarning', '112'];

/**
 * AssemblyScript: `import assembly from '…/assembly/rice/index.ts?assembly'` gives a function that returns the compiled module's
 * bytes. They stand in the bundle as base64, as those of packages do (wasm.config.ts). What was compiled is kept by the hash of the
 * file and all that it imports.
 */
export function assemblyModules(): Plugin {
  return {
    name: 'stria-assembly-modules',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (!source.endsWith(suffix)) return undefined;
      const path = resolve(dirname(importer ?? ''), source.slice(0, -suffix.length));
      return `${marker}${path}.js`;
    },
    async load(id) {
      if (!id.startsWith(marker)) return undefined;
      const entry = id.slice(marker.length, -'.js'.length);
      const files = await sourcesOf(entry);
      for (const file of files.keys()) this.addWatchFile(file);
      const bytes = await compiled(entry, files);
      return {
        code: `${decodeBase64}
export default () => decode('${bytes.toString('base64')}');`,
        map: null,
        moduleType: 'js',
      };
    },
  };
}

/** The bytes of a module of src/assembly, by its folder's name. */
export async function assemblyModule(name: string): Promise<Buffer> {
  const entry = join(sources, name, 'index.ts');
  return compiled(entry, await sourcesOf(entry));
}

/** A file and all that it imports, with their texts. */
async function sourcesOf(entry: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const visit = async (file: string): Promise<void> => {
    if (texts.has(file)) return;
    const text = await readFile(file, 'utf8');
    texts.set(file, text);
    for (const [, path] of text.matchAll(/ from '(\.[^']+)'/g)) await visit(`${resolve(dirname(file), path as string)}.ts`);
  };
  await visit(entry);
  return texts;
}

/** What is being compiled, by its file: several builds of one process may want the same module at once. */
const underWay = new Map<string, Promise<Buffer>>();

async function compiled(entry: string, files: ReadonlyMap<string, string>): Promise<Buffer> {
  const hash = createHash('sha256').update(JSON.stringify([asc.version, options, entry.slice(sources.length)]));
  for (const [file, text] of files) hash.update(JSON.stringify([file.slice(sources.length), text]));
  const kept = join(cache, `${hash.digest('hex')}.wasm`);
  const pending = underWay.get(kept) ?? readOrCompile(entry, kept);
  underWay.set(kept, pending);
  return pending;
}

async function readOrCompile(entry: string, kept: string): Promise<Buffer> {
  try {
    return await readFile(kept);
  } catch {
    await mkdir(cache, { recursive: true });
    const partial = `${kept}.${process.pid}`;
    const { error, stderr } = await asc.main([entry, '--outFile', partial, ...options]);
    if (error) throw new Error(`AssemblyScript does not compile ${entry}: ${error.message}\n${stderr.toString()}`);
    await rename(partial, kept);
    return readFile(kept);
  }
}
