import { afterEach, expect, test, vi } from 'vitest';
import { memorySink } from '../../../core/shared/bytes.ts';
import { serveSink } from '../loading/ports.ts';
import type { CompressMessage, CompressOrder } from './compress-protocol.ts';

afterEach(() => void vi.unstubAllGlobals());

test('jobs that begin at the same time open one device, and a job for the CPU opens none', async () => {
  const requestAdapter = vi.fn(async () => null);
  vi.stubGlobal('navigator', { hardwareConcurrency: 1, gpu: { requestAdapter } });
  // No thread ends a task here, so each job fails.
  vi.stubGlobal('Worker', undefined);
  const messages: CompressMessage[] = [];
  const scope = {
    onmessage: (_: { data: CompressOrder }) => {},
    postMessage: (message: CompressMessage) => messages.push(message),
  };
  vi.stubGlobal('self', scope);
  await import('./compress.worker.ts');
  const begin = (job: number, device?: 'cpu') => {
    const request = { kind: 'sample', sample: { kind: 'noise', side: 8 } } as never;
    const choice = { codec: 'auto', axis: 'auto' } as const;
    const sink = serveSink(memorySink());
    scope.onmessage({ data: { kind: 'compress', job, request, makes: 'stria', sink, choice, device, tunings: {} } });
  };
  const areEnded = (count: number) =>
    expect.poll(() => messages.filter(({ kind }) => kind !== 'progress').length, { timeout: 10_000 }).toBe(count);
  begin(1, 'cpu');
  await areEnded(1);
  expect(requestAdapter).not.toHaveBeenCalled();
  begin(2);
  begin(3);
  await areEnded(3);
  expect(requestAdapter).toHaveBeenCalledTimes(1);
});
