import { StriaError } from './errors.ts';

/** The exports of a module of src/assembly. Its functions take and return numbers. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  /** Memory from this address on is the caller's. */
  readonly freeAt: WebAssembly.Global;
  readonly [name: string]: unknown;
}

const pageBytes = 2 ** 16;

const noAddressSpace =
  'WebAssembly cannot reserve its address space, some 10 GB for each module and thread. If that is limited (ulimit -v), lift the limit, or set NODE_OPTIONS=--disable-wasm-trap-handler';

/** One module compiled from src/assembly, with a memory of its own. */
export class WasmModule<Name extends string> {
  readonly #exports: Exports;

  private constructor(exports: Exports) {
    this.#exports = exports;
  }

  /**
   * Undefined if WebAssembly with SIMD is missing or not allowed.
   * @throws StriaError `out-of-memory` if there is too little address space: engines reserve some 10 GB of it for each module
   */
  static open<Name extends string>(bytes: () => Uint8Array<ArrayBuffer>): WasmModule<Name> | undefined {
    // As with `node --jitless`, and in Safari's Lockdown Mode.
    if (typeof WebAssembly === 'undefined') return undefined;
    try {
      const module = new WebAssembly.Module(bytes());
      return new WasmModule(new WebAssembly.Instance(module).exports as unknown as Exports);
    } catch (error) {
      if (error instanceof WebAssembly.CompileError) return undefined;
      if (error instanceof RangeError) throw new StriaError('out-of-memory', noAddressSpace, { cause: error });
      throw error;
    }
  }

  call(name: Name, ...parameters: number[]): number {
    return (this.#exports[name] as (...parameters: number[]) => number)(...parameters);
  }

  /**
   * Memory that is the caller's until the next call of this function.
   * @param sizes bytes of each of its parts
   * @returns where each begins, at a multiple of 16
   */
  room(...sizes: number[]): { readonly memory: Uint8Array<ArrayBuffer>; readonly at: readonly number[] } {
    let end = this.freeAt;
    const at = sizes.map((size) => {
      const start = end;
      end = aligned(start + size);
      return start;
    });
    return { memory: this.memoryTo(end), at };
  }

  /** Memory from this address on is the caller's. */
  get freeAt(): number {
    return aligned(this.#exports.freeAt.value as number);
  }

  /** The module's memory, grown to at least this many bytes. */
  memoryTo(end: number): Uint8Array<ArrayBuffer> {
    const { memory } = this.#exports;
    const missing = end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
    return new Uint8Array(memory.buffer);
  }
}

/** A module that is opened on first use, once per thread. */
export function lazyModule<Name extends string>(bytes: () => Uint8Array<ArrayBuffer>): () => WasmModule<Name> | undefined {
  /** `null`: not opened yet. */
  let opened: WasmModule<Name> | null | undefined = null;
  return () => {
    if (opened === null) opened = WasmModule.open<Name>(bytes);
    return opened;
  };
}

function aligned(address: number): number {
  return Math.ceil(address / 16) * 16;
}
