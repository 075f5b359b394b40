import { spawn } from 'node:child_process';
import { builtFile } from './built-file.ts';

/** What a separate process found out about this machine's graphics adapters. */
export interface GpuProbe {
  /** False only if there is certainly no adapter. */
  readonly found: boolean;
  /** Why adapters were skipped, in Dawn's words, one line each. */
  readonly passedOver: readonly string[];
}

/** Only a driver that hangs takes longer than this. */
const longestProbeMs = 20_000;

/** Asks for an adapter in another process, with the drivers that `env` selects. @throws StriaError `internal` without a build */
export function probeGpu(env: NodeJS.ProcessEnv = process.env): Promise<GpuProbe> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [builtFile('gpu-probe.js')], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: longestProbeMs,
      killSignal: 'SIGKILL',
    });
    let answer = '';
    let words = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      words += text;
    });
    child.on('error', (error) => resolve({ found: false, passedOver: [`the drivers could not be probed: ${error.message}`] }));
    child.on('close', (_code, signal) => {
      const passedOver = reasonsIn(words);
      if (answer === '' && signal) passedOver.push(`a driver crashed while it was probed (${signal})`);
      // If the package itself is missing, the next attempt to load it reports that.
      const isUnknown = answer === '' && !signal;
      resolve({ found: answer === 'found' || isUnknown, passedOver });
    });
  });
}

/**
 * Extracts the reasons from Dawn's output, each once: the first lines of its warnings. The Vulkan loader's own messages only
 * concern missing drivers and are dropped.
 *
 * `Warning: Vulkan shaderUniform*ArrayDynamicIndexing required.\n - While initializing adapter …` → `Vulkan … required`
 */
export function reasonsIn(words: string): string[] {
  const reasons = [...words.matchAll(/^Warning: (.+?)\.?$/gm)].map(([, reason]) => reason as string);
  return [...new Set(reasons)].filter((reason) => !/^(vk|loader_)/.test(reason));
}
