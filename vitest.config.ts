import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { assemblyModules } from './assembly.config.ts';
import { wgsl } from './src/shaders/build/plugin.ts';
import { wasmModules } from './wasm.config.ts';

/** Default order, except that the slow small file starts first; started last, it would leave a core idle. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith('bench/sizes.test.ts');
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        plugins: [wasmModules(), assemblyModules(), wgsl()],
        test: {
          name: 'unit',
          // What wasm.config.ts makes of packages' files: Node itself could not load it.
          server: { deps: { inline: [/bytes:/, /@cornerstonejs/, /h5wasm/] } },
          include: ['src/**/*.test.ts', 'bench/**/*.test.ts', 'e2e/**/*.test.ts', 'packaging/**/*.test.ts'],
          exclude: ['src/**/*.gpu.test.ts'],
          testTimeout: 120_000,
          setupFiles: './vitest.setup.ts',
          // Both cores of a small machine. Modules are loaded once per worker, because no test changes what others import.
          maxWorkers: 2,
          pool: 'forks',
          isolate: false,
        },
      },
      {
        plugins: [wasmModules(), assemblyModules(), wgsl()],
        // Slurm and Snakemake: see scripts/ensure-cluster-tools.mjs. One after the other, because they share the cores.
        test: {
          name: 'cluster',
          include: ['workflows/test/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
      {
        plugins: [wasmModules(), assemblyModules(), wgsl()],
        // Dawn in Node. Two processes, because most of the time goes into compiling shaders on one core. The files of a process
        // share its devices, and therefore the compiled kernels (`openTestGpu`).
        test: {
          name: 'gpu',
          include: ['src/**/*.gpu.test.ts'],
          testTimeout: 600_000,
          setupFiles: './vitest.setup.ts',
          maxWorkers: 2,
          pool: 'forks',
          isolate: false,
        },
      },
    ],
  },
});
