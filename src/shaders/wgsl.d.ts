/** A .wgsl file as build/plugin.ts hands it over. Global, because a declaration of `*.wgsl` can import nothing. */
interface ShaderFile {
  /** Below src/shaders: `rice/decode.wgsl`. */
  readonly path: string;
  /** Joined, they are the file line by line, without comments and imports. `when`: `checks` or `!checks`; undefined: always. */
  readonly pieces: readonly { readonly text: string; readonly when?: string | undefined }[];
  /** Files, as functions, because files may import each other; or names of constants, whose values the variant gives. */
  readonly imports: readonly {
    readonly from: (() => ShaderFile) | 'constants';
    readonly names: readonly string[];
    readonly when?: string | undefined;
  }[];
}

declare module '*.wgsl' {
  const file: ShaderFile;
  export default file;
}
