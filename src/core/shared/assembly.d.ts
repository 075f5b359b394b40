/** Bytes of a WebAssembly module that was compiled from AssemblyScript (`assemblyModules` in assembly.config.ts). */
declare module '*?assembly' {
  const moduleBytes: () => Uint8Array<ArrayBuffer>;
  export default moduleBytes;
}
