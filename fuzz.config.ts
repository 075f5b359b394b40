import { resolve } from 'node:path';
import { defineConfig } from 'vite';
import { assemblyModules } from './assembly.config.ts';
import { wgsl } from './src/shaders/build/plugin.ts';
import { wasmModules } from './wasm.config.ts';

/** Builds the fuzz and its child as programs for Node: `npm run fuzz`. They are not shipped. */
export default defineConfig({
  resolve: { alias: { fflate: 'fflate/browser' } },
  plugins: [wasmModules(), assemblyModules(), wgsl()],
  logLevel: 'warn',
  build: {
    ssr: true,
    target: 'node20',
    outDir: 'node_modules/.cache/fuzz',
    rolldownOptions: {
      input: { index: resolve('src/fuzz/index.ts'), child: resolve('src/fuzz/child.ts') },
      external: ['webgpu', /^node:/],
      output: { format: 'es', entryFileNames: '[name].js' },
    },
  },
  ssr: { noExternal: true, external: ['webgpu'] },
});
