// Writes the C of the Python package's codecs: each module of src/assembly is compiled to WebAssembly, as for the command, and
// wasm2c turns that into C. `pip install ./python` compiles it, so the package has no codecs of its own.
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const generated = resolve('python/native/generated');
const wasm2c = join(dirname(createRequire(import.meta.url).resolve('wabt/package.json')), 'bin', 'wasm2c');
const names = ['checksum', 'chunks', 'halve', 'huffman', 'labels', 'parle', 'predict', 'rice', 'rle', 'survey', 'wave'];

const load = async (path) => (await runnerImport(resolve(path), { configFile: false, logLevel: 'error' })).module;
const { assemblyModule } = await load('assembly.config.ts');
const { tableWords } = await load('src/core/codecs/labels/tables.ts');
const { packedTables } = await load('src/core/codecs/wave/tables.ts');

await mkdir(generated, { recursive: true });
const functions = new Map();
for (const name of names) {
  const wasm = join(generated, `${name}.wasm`);
  const header = join(generated, `${name}.h`);
  const bytes = await assemblyModule(name);
  const known = await readFile(wasm).catch(() => Buffer.alloc(0));
  if (!known.equals(bytes) || !(await readFile(header, 'utf8').catch(() => ''))) {
    await writeFile(wasm, bytes);
    const source = join(generated, `${name}.c`);
    execFileSync(wasm2c, [wasm, '-n', name, '-o', source], { stdio: ['ignore', 'ignore', 'inherit'] });
    await writeFile(source, withCheaperChecks(await readFile(source, 'utf8')));
  }
  const declaration = new RegExp(`^(void|u32) w2c_${name}_(\\w+)\\(w2c_${name}\\*((?:, u32)*)\\);$`, 'gm');
  functions.set(
    name,
    [...(await readFile(header, 'utf8')).matchAll(declaration)].map(([, result, called, parameters]) => {
      return { result, called, count: parameters.split(', ').length - 1 };
    }),
  );
}
const tables = { labels: new Uint8Array(tableWords().buffer), wave: new Uint8Array(packedTables().buffer) };
await writeIfNew(join(generated, 'modules.c'), modulesFile());

/**
 * Checks of accesses without the access's own length: native/engine.c allocates that much more than the memory's size. It saves an
 * addition for each access, 3 to 6 % of decoding.
 */
function withCheaperChecks(text) {
  const check = 'a + (uint64_t)sizeof(t) > mem->size';
  if (text.split(check).length !== 2) throw new Error(`wasm2c's output has changed: it has no check '${check}'`);
  return text.replace(check, 'a > mem->size');
}

/** A table of the modules and their functions, for native/engine.c. */
function modulesFile() {
  const wrappers = [...functions].flatMap(([name, calls]) =>
    calls.map(({ result, called, count }) => {
      const parameters = Array.from({ length: count }, (_, i) => `, p[${i}]`).join('');
      const call = `w2c_${name}_${called}((w2c_${name}*)m${parameters});`;
      const body = result === 'void' ? `${call} return 0;` : `return ${call}`;
      return `static uint32_t ${name}_${called}(void* m, const uint32_t* p) { (void)p; ${body} }`;
    }),
  );
  const lists = [...functions].map(([name, calls]) => {
    const entries = calls.map(({ called, count }) => `{"${called}", ${count}, ${name}_${called}}`);
    return `static const stria_function ${name}_functions[] = {${entries.join(', ')}};`;
  });
  const modules = [...functions].map(
    ([name, calls]) =>
      `  {"${name}", sizeof(w2c_${name}), ${calls.length}, ${name}_functions, (void (*)(void*))wasm2c_${name}_instantiate,\n` +
      `   (void (*)(void*))wasm2c_${name}_free, (wasm_rt_memory_t* (*)(void*))w2c_${name}_memory, (uint32_t* (*)(void*))w2c_${name}_freeAt},`,
  );
  const data = Object.entries(tables).map(
    ([name, bytes]) => `static const uint8_t ${name}_table[] = {${bytes.join(',').replace(/(.{100,}?,)/g, '$1\n')}};`,
  );
  return `/* Made by scripts/python-codecs.mjs. */
#include "modules.h"
${names.map((name) => `#include "${name}.h"`).join('\n')}

${wrappers.join('\n')}

${lists.join('\n')}

const stria_module stria_modules[] = {
${modules.join('\n')}
};
const int stria_module_count = ${functions.size};

${data.join('\n')}

const stria_table stria_tables[] = {${Object.keys(tables).map((name) => `{"${name}", ${name}_table, sizeof ${name}_table}`)}};
const int stria_table_count = ${Object.keys(tables).length};
`;
}

/** Leaves a file that has this text alone, so that nothing is compiled again. */
async function writeIfNew(path, text) {
  if ((await readFile(path, 'utf8').catch(() => undefined)) !== text) await writeFile(path, text);
}
