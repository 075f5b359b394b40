// Runs cases one after another and reports each to the parent, which kills this process if a case takes too long.
import { createCpuBackend } from '../core/cpu/cpu-backend.ts';
import { inlinePool } from '../core/cpu/inline-pool.ts';
import { createGpuBackend } from '../core/gpu-chunks/gpu-backend.ts';
import { openNodeGpu } from '../node/node-gpu.ts';
import { caseOf, type FuzzCase } from './cases.ts';
import { type Backends, check } from './checks.ts';
import { collectionOriginals } from './collection-originals.ts';
import type { ChildTask, ChildWord } from './messages.ts';
import { containerOriginals, inputOriginals } from './originals.ts';
import { otherOriginals } from './other-originals.ts';

const casesPerCollection = 50;

function tell(word: ChildWord): void {
  process.send?.(word);
}

async function run({ seed, first, end, withGpu, choice, mostMegabytes }: ChildTask): Promise<void> {
  const cpu = createCpuBackend(inlinePool());
  const gpu = withGpu ? await openNodeGpu({ software: true, limits: 'default' }).catch(() => undefined) : undefined;
  const backends: Backends = { cpu, gpu: gpu && createGpuBackend(gpu) };
  const collections = await collectionOriginals();
  const plain = inputOriginals();
  const files = collections.filter(({ isFolder }) => !isFolder);
  const containers = await containerOriginals(cpu, [...plain.slice(0, -1), ...files]);
  const inputs = [...plain, ...collections];
  const others = await otherOriginals();
  tell({ kind: 'ready', hasGpu: gpu !== undefined });
  const before = process.resourceUsage().maxRSS / 1024;
  for (let number = first; number < end; number++) {
    tell({ kind: 'case', number });
    const one = await caseOf(seed, number, { containers, inputs, others }, choice);
    const found = await faultIn(one, backends);
    if (found !== undefined) tell({ kind: 'finding', number, name: one.name, what: found, files: filesOf(one) });
    else tell({ kind: 'passed', of: one.kind });
    if (number % casesPerCollection === 0) globalThis.gc?.();
    const grown = process.resourceUsage().maxRSS / 1024 - before;
    if (grown > mostMegabytes && !withGpu) {
      const what = `memory grew by ${Math.round(grown)} MiB`;
      tell({ kind: 'finding', number, name: one.name, what, files: filesOf(one) });
      // The peak belongs to the process, so the next case needs a new one.
      process.exit(0);
    }
  }
  tell({ kind: 'done' });
  process.exit(0);
}

async function faultIn(one: FuzzCase, backends: Backends): Promise<string | undefined> {
  try {
    await check(one, backends);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

function filesOf({ files }: FuzzCase) {
  return files.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString('base64') }));
}

process.on('message', (task: ChildTask) => void run(task));
process.on('disconnect', () => process.exit(0));
