import { resolve } from 'node:path';
import { defineConfig } from 'vite';
import { assemblyModules } from './assembly.config.ts';
import { wasmModules } from './wasm.config.ts';

/** Builds the library, `import { open } from 'stria'`, into out/lib: modules without imports of packages, for Node and browsers. */
export default defineConfig({
  resolve: { alias: { fflate: 'fflate/browser' } },
  plugins: [wasmModules(), assemblyModules()],
  logLevel: 'warn',
  build: {
    target: 'es2023',
    outDir: 'out/lib',
    minify: true,
    lib: { entry: { index: resolve('src/lib/index.ts'), zarr: resolve('src/lib/zarr.ts') }, formats: ['es'] },
    rolldownOptions: { output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' } },
  },
});
