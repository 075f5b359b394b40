// These packages have no types. decoders.ts describes the parts that are used.
declare module '@cornerstonejs/codec-charls/decodewasmjs';
declare module '@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasmjs';
declare module '@cornerstonejs/codec-openjpeg/decodewasmjs';
declare module '@cornerstonejs/codec-openjph/wasmjs';
declare module '@cornerstonejs/codec-charls/wasmjs';
declare module '@cornerstonejs/codec-libjpeg-turbo-8bit/wasmjs';
declare module '@cornerstonejs/codec-openjpeg/wasmjs';

// This package has types, but its package.json does not point to them.
declare module 'jpeg-lossless-decoder-js' {
  export class Decoder {
    decode(buffer: ArrayBuffer, offset: number, length: number): Uint8Array | Uint16Array | null;
  }
}
