// These packages come without types: what is used of them is described in decoders.ts.
declare module '@cornerstonejs/codec-charls/decodewasmjs';
declare module '@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasmjs';
declare module '@cornerstonejs/codec-openjpeg/decodewasmjs';
declare module '@cornerstonejs/codec-openjph/wasmjs';
declare module '@cornerstonejs/codec-charls/wasmjs';
declare module '@cornerstonejs/codec-libjpeg-turbo-8bit/wasmjs';
declare module '@cornerstonejs/codec-openjpeg/wasmjs';

// Its types are beside it, but not where its package.json says.
declare module 'jpeg-lossless-decoder-js' {
  export class Decoder {
    decode(buffer: ArrayBuffer, offset: number, length: number): Uint8Array | Uint16Array | null;
  }
}
