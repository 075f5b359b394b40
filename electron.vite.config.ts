import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { assemblyModules } from './assembly.config.ts';
import { wgsl } from './src/shaders/build/plugin.ts';
import { wasmModules } from './wasm.config.ts';

/**
 * For the command, opening a file takes longer than loading its contents, so modules that are needed together form one file: those that
 * a thread needs at once, the others of the command's start, and what threads, a GPU and decompressing need besides. A module that
 * several of them need is in the first one's file.
 */
function startFiles() {
  const starts = {
    engine: resolve('src/node/cpu-worker.ts'),
    command: resolve('src/cli/index.ts'),
    threads: resolve('src/node/node-task-pool.ts'),
    gpu: resolve('src/cli/devices/gpu-device.ts'),
    decompress: resolve('src/cli/commands/decompress.ts'),
  };
  return Object.entries(starts).map(([name, start], at) => {
    let atOnce: ReadonlySet<string> | undefined;
    return {
      priority: 5 - at,
      includeDependenciesRecursively: false,
      name(id: string, graph: Graph): string | null {
        atOnce ??= importedAtOnce(start, graph);
        return atOnce.has(id) ? name : null;
      },
    };
  });
}

interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[]; readonly isEntry: boolean } | null;
}

/** A module and its transitive static imports, without dynamic ones. An entry keeps a file of its own. */
function importedAtOnce(start: string, graph: Graph): ReadonlySet<string> {
  const found = new Set([start]);
  for (const id of found) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  if (graph.getModuleInfo(start)?.isEntry) found.delete(start);
  return found;
}

// The main build has a second entry, the command `stria`. Everything except Electron, Node and the native `webgpu` package is
// bundled, so that out/ can be copied to another machine.
export default defineConfig({
  main: {
    // fflate's Node version needs `require`, which ES modules lack; its browser version is otherwise the same.
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
          'command-files': resolve('src/cli/command-files.ts'),
          'cpu-worker': resolve('src/node/cpu-worker.ts'),
          'gpu-probe': resolve('src/node/gpu-probe.ts'),
          'sample-worker': resolve('src/node/sample-worker.ts'),
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
