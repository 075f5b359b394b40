import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

// The main build has a second entry, the command `stria`. Everything but Electron, Node and the native `webgpu`
// package is bundled, so that out/ can be carried to another machine.
export default defineConfig({
  main: {
    // fflate for Node asks for `require`, which ES modules have not; for a browser it is the same but for that.
    resolve: { alias: { fflate: 'fflate/browser' } },
    build: {
      externalizeDeps: false,
      target: 'node20',
      rolldownOptions: {
        input: {
          index: resolve('src/main/index.ts'),
          cli: resolve('src/cli/index.ts'),
          'cpu-worker': resolve('src/cli/cpu-worker.ts'),
          'bench-worker': resolve('src/cli/bench-worker.ts'),
        },
        external: ['electron', 'webgpu', /^node:/],
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: resolve('src/preload/index.ts') },
        external: ['electron'],
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    build: {
      target: 'chrome134',
      minify: true,
      outDir: 'out/renderer',
      rolldownOptions: { input: resolve('src/renderer/index.html') },
    },
    worker: { format: 'es' },
    plugins: [react()],
  },
});
