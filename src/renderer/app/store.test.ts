import { describe, expect, it } from 'vitest';
import { type QueueRow, summarize, withRowState } from './queue-rows.ts';
import type { CompressionResult } from './result.ts';
import { createAppStore, openDocument, showDocument } from './store.ts';

describe('the store', () => {
  it('starts empty, with the GPU being opened', () => {
    const state = createAppStore().getState();
    expect(state.document.kind).toBe('empty');
    expect(state.gpu.kind).toBe('opening');
    expect(openDocument(state)).toBeUndefined();
  });

  it('forgets compression and saving when the document changes', () => {
    const store = createAppStore();
    const fault = { tag: 'corrupt', message: 'bad', context: [] } as const;
    const compressed = { result: {} as CompressionResult, isAsked: true };
    store.setState({ compression: { kind: 'failed', fault }, compressed, save: { kind: 'failed', fault } });
    showDocument(store, { kind: 'failed', name: 'a.nii', fault });
    expect(store.getState().compression.kind).toBe('idle');
    expect(store.getState().compressed).toBeUndefined();
    expect(store.getState().save.kind).toBe('idle');
  });
});

describe('queue rows', () => {
  const rows: QueueRow[] = [
    { id: 1, name: 'a.nii', size: 10, state: { kind: 'waiting' } },
    { id: 2, name: 'b.nii', size: 10, state: { kind: 'cancelled' } },
  ];

  it('change one by one, and never after they are finished', () => {
    const next = withRowState(rows, 1, { kind: 'failed', fault: { tag: 'corrupt', message: 'bad', context: [] } });
    expect(next.map((row) => row.state.kind)).toEqual(['failed', 'cancelled']);
    expect(withRowState(next, 2, { kind: 'waiting' })[1]?.state.kind).toBe('cancelled');
    expect(rows[0]?.state.kind).toBe('waiting');
  });

  it('are summed up', () => {
    expect(summarize(rows)).toEqual({ total: 2, done: 0, failed: 0, active: 1, bytesIn: 0, bytesOut: 0 });
  });
});
