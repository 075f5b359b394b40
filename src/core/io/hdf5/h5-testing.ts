import * as h5wasm from 'h5wasm';

// HDF5 files for tests, written by h5wasm.

export { h5wasm };

let number = 0;

/** A file's bytes. @param build fills it @param options can request older versions of the format, which have no checksums */
export async function hdf5File(
  build: (file: import('h5wasm').File) => void,
  options?: import('h5wasm').FileOptions,
): Promise<Uint8Array> {
  const { FS } = (await h5wasm.ready) as unknown as { FS: { readFile(path: string): Uint8Array; unlink(path: string): void } };
  number++;
  const path = `/test-${number}.h5`;
  const file = options ? new h5wasm.File(path, 'w', options) : new h5wasm.File(path, 'w');
  build(file);
  file.flush();
  file.close();
  const bytes = new Uint8Array(FS.readFile(path));
  FS.unlink(path);
  return bytes;
}

export const h5Types: Readonly<Record<string, string>> = {
  u8: '<B',
  i8: '<b',
  u16: '<H',
  i16: '<h',
  u32: '<I',
  i32: '<i',
  f32: '<f',
  f64: '<d',
};
