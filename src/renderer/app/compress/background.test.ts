import { expect, test, vi } from 'vitest';
import { memorySink } from '../../../core/shared/bytes.ts';
import { BackgroundCompressor } from './background.ts';

test('a job that was cancelled before it began leaves nothing of its file', async () => {
  const compressor = new BackgroundCompressor(() => ({}));
  const sink = { ...memorySink(), abort: vi.fn(async () => {}) };
  const request = { kind: 'sample', sample: { kind: 'zero', dims: [1, 1, 1], type: 'u8', seed: 1 } } as const;
  const choice = { codec: 'auto', axis: 'auto', prefer: 'balanced', effort: 'normal' } as const;
  const job = { signal: AbortSignal.abort() };
  await expect(compressor.compress(request, sink, choice, job)).rejects.toMatchObject({ tag: 'aborted' });
  expect(sink.abort).toHaveBeenCalledOnce();
});
