import { spawn } from 'node:child_process';
import { builtFile } from './built-file.ts';

/** What a process of its own found out about this machine's graphics adapters. */
export interface GpuProbe {
  /** False only where it is known that there is none. */
  readonly found: boolean;
  /** Why adapters were passed over, in Dawn's words, one line each. */
  readonly passedOver: readonly string[];
}

/** No driver takes so long, unless it hangs. */
const longestProbeMs = 20_000;

/** Asks for an adapter in another process, by the drivers that `env` gives. @throws StriaError `internal` without a build */
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
    child.on('error', (error) => resolve({ found: false, passedOver: [`the drivers could not be asked: ${error.message}`] }));
    child.on('close', (_code, signal) => {
      const passedOver = reasonsIn(words);
      if (answer === '' && signal) passedOver.push(`a driver ended the process that asked it (${signal})`);
      // Where the package itself is missing, whoever loads it next says so.
      const isUnknown = answer === '' && !signal;
      resolve({ found: answer === 'found' || isUnknown, passedOver });
    });
  });
}

/**
 * The reasons in what Dawn wrote, each once: the first lines of its warnings. The loader's own words are of drivers that are not there.
 * `Warning: Vulkan shaderUniform*ArrayDynamicIndexing required.\n - While initializing adapter …` → `Vulkan … required`
 */
export function reasonsIn(words: string): string[] {
  const reasons = [...words.matchAll(/^Warning: (.+?)\.?$/gm)].map(([, reason]) => reason as string);
  return [...new Set(reasons)].filter((reason) => !/^(vk|loader_)/.test(reason));
}
