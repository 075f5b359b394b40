import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { assemblyModules } from './assembly.config.ts';
import { wgsl } from './src/shaders/build/plugin.ts';
import { wasmModules } from './wasm.config.ts';

/**
 * Loading a file takes the command longer than what stands in it: all that a thread needs at once is one file, and what the command
 * needs beside it is another.
 */
function startFiles() {
  const starts = { engine: resolve('src/node/cpu-worker.ts'), command: resolve('src/cli/index.ts') };
  return Object.entries(starts).map(([name, start], at) => {
    let atOnce: ReadonlySet<string> | undefined;
    return {
      priority: 2 - at,
      includeDependenciesRecursively: false,
      name(id: string, graph: Graph): string | null {
        atOnce ??= importedAtOnce(start, graph);
        return atOnce.has(id) ? name : null;
      },
    };
  });
}

interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/** All that a module imports, and what that imports, but for what is imported while it runs. */
function importedAtOnce(start: string, graph: Graph): ReadonlySet<string> {
  const found = new Set([start]);
  for (const id of found) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  found.delete(start);
  return found;
}

// The main build has a second entry, the command `stria`. Everything but Electron, Node and the native `webgpu`
// package is bundled, so that out/ can be carried to another machine.
export default defineConfig({
  main: {
    // fflate for Node asks for `require`, which ES modules have not; for a browser it is the same but for that.
    resolve: { alias: { fflate: 'fflate/browser' } },
    plugins: [wasmModules(), assemblyModules(), wgsl()],
    build: {
      externalizeDeps: false,
      target: 'node20',
      minify: true,
      rolldownOptions: {
        input: {
          index: resolve('src/main/index.ts'),
          cli: resolve('src/cli/index.ts'),
          'cpu-worker': resolve('src/node/cpu-worker.ts'),
          'gpu-probe': resolve('src/node/gpu-probe.ts'),
          'bench-worker': resolve('src/cli/bench/bench-worker.ts'),
        },
        external: ['electron', 'webgpu', /^node:/],
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
          codeSplitting: { groups: startFiles() },
        },
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
    worker: { format: 'es', plugins: () => [wasmModules(), assemblyModules(), wgsl()] },
    plugins: [react(), wasmModules(), assemblyModules(), wgsl()],
  },
});
