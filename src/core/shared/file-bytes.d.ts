/** A file as bytes inside the bundle (`wasmModules` in wasm.config.ts). For WebAssembly: import it dynamically, in workers only. */
declare module '*?bytes' {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
