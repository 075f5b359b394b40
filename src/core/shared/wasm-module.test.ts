import { afterEach, expect, test, vi } from 'vitest';
import { WasmModule } from './wasm-module.ts';

afterEach(() => vi.unstubAllGlobals());

/** A module without anything in it. */
const empty = () => Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

test('without WebAssembly there is no module, and nothing fails', () => {
  vi.stubGlobal('WebAssembly', undefined);
  expect(WasmModule.open(empty)).toBeUndefined();
});

test('a module that cannot be compiled is none', () => {
  expect(WasmModule.open(() => Uint8Array.of(1, 2, 3))).toBeUndefined();
});

test('too little address space is reported with what to do', () => {
  class Instance {
    constructor() {
      throw new RangeError('WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance');
    }
  }
  const { Module, CompileError } = WebAssembly;
  vi.stubGlobal('WebAssembly', { Module, CompileError, Instance });
  const fault = expect.objectContaining({ tag: 'out-of-memory', message: expect.stringContaining('ulimit -v') });
  expect(() => WasmModule.open(empty)).toThrow(fault);
});
