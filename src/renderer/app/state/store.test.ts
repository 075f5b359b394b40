import { describe, expect, it } from 'vitest';
import { type QueueRow, ratioWords, sizesOf, sizeWords, summarize, withRowState } from './queue-rows.ts';
import { createAppStore, openDocument } from './store.ts';

describe('the store', () => {
  it('starts empty, while the GPU is being opened', () => {
    const state = createAppStore().getState();
    expect(state.document.kind).toBe('empty');
    expect(state.gpu.kind).toBe('opening');
    expect(openDocument(state)).toBeUndefined();
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
    const none = { total: 2, done: 0, failed: 0, several: 0, active: 1, sizes: undefined, levelBytes: 0 };
    expect(summarize(rows)).toEqual({ ...none, title: 'Compressing 2 files' });
    const done = (size: number | undefined): QueueRow => {
      const state = { kind: 'done', bytesIn: 400, bytesOut: 100, ms: 1, name: 'a.stria', folder: '', reveal: undefined } as const;
      return { id: 3, name: 'a.nii.gz', size, state };
    };
    expect(summarize([...rows, done(150), done(250)]).sizes).toEqual({ fileBytes: 400, bytesIn: 800, bytesOut: 200 });
    expect(summarize([done(150), done(undefined)]).sizes).toEqual({ fileBytes: undefined, bytesIn: 800, bytesOut: 200 });
  });

  it('tell levels that were written from compressed volumes', () => {
    const written = { kind: 'done', bytesIn: 400, bytesOut: 100, ms: 1, name: 'a', folder: '', reveal: undefined } as const;
    const volume: QueueRow = { id: 3, name: 'a.nii', size: 400, state: written };
    const levels: QueueRow = { ...volume, id: 4, levelsOf: {} };
    const running: QueueRow = { ...levels, state: { kind: 'waiting' } };
    const failed: QueueRow = { ...levels, state: { kind: 'cancelled' } };
    const titles = [
      [volume],
      [levels],
      [running],
      [levels, running, running],
      [levels, failed],
      [volume, levels],
      [volume, running],
    ];
    expect(titles.map((each) => summarize(each).title)).toEqual([
      '1 of 1 file compressed',
      'Levels of 1 file written',
      'Writing the levels of 1 file',
      'Writing the levels of 3 files',
      'Levels of 1 of 2 files written',
      '2 of 2 files written',
      'Writing 2 files',
    ]);
    expect(summarize([levels, levels])).toMatchObject({ sizes: undefined, levelBytes: 200, done: 2 });
    expect([sizesOf(levels), sizesOf(volume)?.bytesOut]).toEqual([undefined, 100]);
  });

  it('name what each ratio compares: files with files, or the uncompressed size', () => {
    const packed = { fileBytes: 760 * 1024, bytesIn: 1900 * 1024, bytesOut: 511 * 1024 };
    expect(ratioWords(packed)).toEqual(['3.72\u202f× unpacked', '1.49\u202f× file']);
    expect(sizeWords(packed)).toEqual([
      'files 760\u202fKiB → 511\u202fKiB (1.49\u202f×)',
      'unpacked 1.86\u202fMiB → 511\u202fKiB (3.72\u202f×)',
    ]);
    const plain = { ...packed, fileBytes: packed.bytesIn };
    expect([ratioWords(plain), sizeWords(plain)]).toEqual([['3.72\u202f×'], ['1.86\u202fMiB → 511\u202fKiB (3.72\u202f×)']]);
    // A detached header alone does not tell the size of its voxels' file.
    expect(ratioWords({ ...packed, fileBytes: undefined })).toEqual(['3.72\u202f× unpacked']);
  });
});
