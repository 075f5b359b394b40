// HDF5 finds filters that are not built in as plugins: dynamic libraries, here WebAssembly side modules in emscripten's convention. Other
// plugins decode in the library's memory, which damaged data could break. Those made here only call JavaScript.

/** What plugins need of h5wasm's module. */
export interface PluginHost {
  readonly HEAPU8: Uint8Array;
  readonly FS: { mkdirTree(path: string): void; writeFile(path: string, content: Uint8Array): void };
  /** The functions that side modules may import (`wasm.config.ts`). */
  readonly wasmImports: Record<string, unknown>;
  _H5allocate_memory(byteLength: number, isCleared: number): number;
  _H5free_memory(at: number): void;
  insert_plugin_search_path(path: string, index: number): number;
}

const pluginFolder = '/plugins';
/** `H5Z_FLAG_REVERSE`: the library reads. */
const reverseFlag = 0x100;

const importName = (filter: number) => `stria_filter_${filter}`;

/** Must be called before `addFilter`. */
export function preparePlugins(host: PluginHost): void {
  host.FS.mkdirTree(pluginFolder);
  host.insert_plugin_search_path(pluginFolder, 0);
}

/**
 * Adds a filter to the library. Data is only read.
 * @param decode gives the content of a chunk; undefined fails the library's call
 */
export function addFilter(host: PluginHost, filter: number, decode: (bytes: Uint8Array) => Uint8Array | undefined): void {
  const wordAt = (at: number) => new Uint32Array(host.HEAPU8.buffer, at >>> 0, 1);
  /** `H5Z_func_t`, with numbers and addresses of 32 bits. It replaces the buffer. Its result is the new length, or 0 if it failed. */
  host.wasmImports[importName(filter)] = (
    flags: number,
    _parameterCount: number,
    _parametersAt: number,
    byteLength: number,
    capacityAt: number,
    bufferAt: number,
  ): number => {
    if ((flags & reverseFlag) === 0) return 0;
    const [buffer = 0] = wordAt(bufferAt);
    const content = decode(host.HEAPU8.slice(buffer, buffer + (byteLength >>> 0)));
    const replaced = content === undefined ? 0 : host._H5allocate_memory(content.byteLength, 0);
    if (content === undefined || replaced === 0) return 0;
    host.HEAPU8.set(content, replaced >>> 0);
    host._H5free_memory(buffer);
    wordAt(bufferAt)[0] = replaced;
    wordAt(capacityAt)[0] = content.byteLength;
    return content.byteLength;
  };
  // The library opens files whose names begin with `lib` and contain `.so`.
  host.FS.writeFile(`${pluginFolder}/lib${filter}.so`, pluginModule(filter));
}

const i32 = 0x7f;
const globalGet = 0x23;
const end = 0x0b;

/** Lengths and numbers in LEB128, up to 14 bits. */
const leb = (value: number) => (value < 128 ? [value] : [(value & 127) | 128, value >> 7]);
const text = (value: string) => [...leb(value.length), ...new TextEncoder().encode(value)];
const list = (...items: readonly (readonly number[])[]) => [...leb(items.length), ...items.flat()];
const sized = (content: readonly number[]) => [...leb(content.length), ...content];
const section = (id: number, content: readonly number[]) => [id, ...sized(content)];
const imported = (name: string, kind: readonly number[]) => [...text('env'), ...text(name), ...kind];

/** The side module of a filter. It imports the filter by name, and describes it to the library. */
function pluginModule(filter: number): Uint8Array {
  // H5Z_class2_t: version, number, no encoder, a decoder, no name, no other callbacks, and last the filter's index in the table.
  const description = new Uint8Array(Uint32Array.of(1, filter, 0, 1, 0, 0, 0, 0).buffer);
  const memoryBase = [globalGet, 0];
  const tableBase = [globalGet, 1];
  // dylink.0: 32 bytes of memory, aligned to 2², and one table element.
  const linking = section(0, [...text('dylink.0'), 1, ...sized([32, 2, 1, 0])]);
  const types = section(
    1,
    list([0x60, ...list(...Array.from({ length: 6 }, () => [i32])), ...list([i32])], [0x60, ...list(), ...list([i32])]),
  );
  const imports = section(
    2,
    list(
      imported('memory', [2, 0, 0]),
      imported('__indirect_function_table', [1, 0x70, 0, 0]),
      imported('__memory_base', [3, i32, 0]),
      imported('__table_base', [3, i32, 0]),
      imported(importName(filter), [0, 0]),
    ),
  );
  const functions = section(3, list([1], [1]));
  const exports = section(7, list([...text('H5PLget_plugin_type'), 0, 1], [...text('H5PLget_plugin_info'), 0, 2]));
  const elements = section(9, list([0, ...tableBase, end, ...list([0])]));
  const code = section(
    10,
    list(
      // i32.const 0: H5PL_TYPE_FILTER
      sized([...list(), 0x41, 0, end]),
      // i32.store offset=28: the filter's index, which is known only now. The result is the description's address.
      sized([...list(), ...memoryBase, ...tableBase, 0x36, 2, 28, ...memoryBase, end]),
    ),
  );
  const data = section(11, list([0, ...memoryBase, end, ...sized([...description])]));
  return Uint8Array.from(
    [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, linking, types, imports, functions, exports, elements, code, data].flat(),
  );
}
