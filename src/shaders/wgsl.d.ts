/** A .wgsl file as build/plugin.ts hands it over. Global, because a declaration of `*.wgsl` can import nothing. */
interface ShaderFile {
  /** Below src/shaders: `rice/decode.wgsl`. */
  readonly path: string;
  /** Joined, they are the file line by line, without comments and imports. `when`: `checks` or `!checks`; undefined: always. */
  readonly pieces: readonly { readonly text: string; readonly when?: string | undefined }[];
  /** Files that it imports, as functions, because files may import each other. */
  readonly imports: readonly { readonly file: () => ShaderFile; readonly when?: string | undefined }[];
  /** Names imported from `constants`: the variant gives their values. */
  readonly constants: readonly { readonly name: string; readonly when?: string | undefined }[];
}

declare module '*.wgsl' {
  const file: ShaderFile;
  export default file;
}
