import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';

const suffix = '?bytes';
/** In front of the id of a module that holds a file's bytes. No other plugin touches such a module. */
const marker = '\0bytes:';

/** The text of a function that decodes base64, for modules that hold bytes. `Uint8Array.from` takes several times as long. */
export const decodeBase64 = `const decode = (base64) => {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
};`;

/**
 * WebAssembly in the page's workers, in the bundled command and in tests alike. `import('some-package/codec.wasm?bytes')` gives the
 * file's bytes in a chunk of their own, as base64: there is no path to find, no server to ask and no permission to fetch. Emscripten's
 * modules take them as `wasmBinary`.
 *
 * Emscripten's glue is changed in four places, on its way into the bundle:
 * - As CommonJS it asks for `fs` where it runs in Node, which a bundle of ES modules does not have. Given its bytes it needs nothing
 *   of it, so it is told that this is not Node.
 * - The memory of h5wasm may grow to 1 GiB instead of 2: HDF5 unpacks a chunk into as much as there is, whatever size is declared.
 * - h5wasm gives its table of functions, to which `h5-plugin.ts` adds filters.
 * - The glue in numcodecs makes functions of text, which the page's policy forbids. `makeInvoker` does the same without.
 */
export function wasmModules(): Plugin {
  return {
    name: 'stria-wasm-modules',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (!source.endsWith(suffix)) return undefined;
      const found = await this.resolve(source.slice(0, -suffix.length), importer, { skipSelf: true });
      if (found === null) throw new Error(`${source} is not there (imported by ${importer})`);
      return `${marker}${found.id}.js`;
    },
    async load(id) {
      if (!id.startsWith(marker)) return undefined;
      const bytes = await readFile(id.slice(marker.length, -'.js'.length));
      return {
        code: `${decodeBase64}
export default decode('${bytes.toString('base64')}');`,
        map: null,
        moduleType: 'js',
      };
    },
    transform(code, id) {
      if (id.startsWith(marker)) return undefined;
      if (/[\\/]@cornerstonejs[\\/]codec-[^\\/]+[\\/].*\.js$/.test(id)) {
        return changed(id, code, 'ENVIRONMENT_IS_NODE=typeof process=="object"&&', 'ENVIRONMENT_IS_NODE=false&&');
      }
      if (/[\\/]h5wasm[\\/]dist[\\/]esm[\\/]hdf5_util\.js$/.test(id)) {
        const { code: bounded } = changed(id, code, 'getHeapMax=()=>2147483648', 'getHeapMax=()=>1073741824');
        return changed(id, bounded, 'var wasmImports={', 'var wasmImports=Module["wasmImports"]={');
      }
      if (/[\\/]numcodecs[\\/]dist[\\/](blosc|lz4|zstd)\.js$/.test(id)) {
        const makesFunction = /function \w+\(a\) \{\s*var b = Function;[\s\S]*?return a instanceof Object \? a : c;\s*\}/;
        const name = /function (\w+)\(a\) \{\s*var b = Function;/.exec(code)?.[1];
        return changed(id, code, makesFunction, `const ${name} = ${makeInvoker};`);
      }
      return undefined;
    },
  };
}

function changed(id: string, code: string, from: string | RegExp, to: string): { code: string; map: null } {
  const result = code.replace(from, () => to);
  if (result === code) throw new Error(`${id} is not as wasm.config.ts expects it: see there what has to be changed in it`);
  return { code: result, map: null };
}

interface WireType {
  toWireType(destructors: unknown[] | null, value: unknown): unknown;
  fromWireType(value: unknown): unknown;
}

/**
 * What Emscripten's `new Function(...names, body)` gives for a function of C++: called with the values of the names it gives the
 * function to call from JavaScript. It goes into the bundle as text, so it refers to nothing outside.
 */
function makeInvoker(namesAndBody: string[]) {
  const names = namesAndBody.slice(0, -1);
  const body = namesAndBody[namesAndBody.length - 1] ?? '';
  const hasDestructors = body.includes('var destructors');
  const hasResult = body.includes('return ret');
  return (...values: unknown[]) => {
    const called = (name: string) => values[names.indexOf(name)] as (...parameters: unknown[]) => unknown;
    const types = values.filter((_, index) => /^argType[0-9]+$/.test(names[index] ?? '')) as WireType[];
    return (...parameters: unknown[]) => {
      if (parameters.length !== types.length) called('throwBindingError')(`called with ${parameters.length} arguments`);
      const destructors = hasDestructors ? [] : null;
      const wired = types.map((type, index) => type.toWireType(destructors, parameters[index]));
      const result = called('invoker')(called('fn'), ...wired);
      if (destructors) called('runDestructors')(destructors);
      else for (const [index, value] of wired.entries()) called(`arg${index}Wired_dtor`)?.(value);
      return hasResult ? (values[names.indexOf('retType')] as WireType).fromWireType(result) : undefined;
    };
  };
}
