import { defineConfig } from 'vite';
import { assemblyModules } from './assembly.config.ts';
import { wgsl } from './src/shaders/build/plugin.ts';
import { wasmModules } from './wasm.config.ts';
export default defineConfig({ resolve: { alias: { fflate: 'fflate/browser' } }, plugins: [wasmModules(), assemblyModules(), wgsl()], logLevel: 'warn',
 build: { ssr: true, target: 'node20', minify: false, outDir: '/tmp/micro/out', emptyOutDir: true, rolldownOptions: { input: { micro: '/tmp/micro/micro.ts' }, external: ['webgpu', /^node:/], output: { format: 'es', entryFileNames: '[name].mjs' } } }, ssr: { noExternal: true, external: ['webgpu'] } });
