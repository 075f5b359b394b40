import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { History } from './history.ts';

const start = { window: [0, 255], colormap: 'gray', layout: 'quad' };
let clockMs = 0;
/** Well after the previous change. */
const later = () => {
  clockMs += 10_000;
  return { atMs: clockMs, gesture: undefined };
};

describe('History', () => {
  it('goes back and forth step by step, and names each step', () => {
    const history = new History();
    history.clear(start);
    expect(history.undo()).toBeUndefined();
    expect(history.undoKeys).toEqual([]);
    history.record({ ...start, colormap: 'viridis' }, later());
    history.record({ ...start, colormap: 'viridis', layout: '3d' }, later());
    expect(history.undoKeys).toEqual(['layout']);
    expect(history.undo()).toEqual({ layout: 'quad' });
    expect(history.undoKeys).toEqual(['colormap']);
    expect(history.redoKeys).toEqual(['layout']);
    expect(history.undo()).toEqual({ colormap: 'gray' });
    expect(history.undo()).toBeUndefined();
    expect(history.redo()).toEqual({ colormap: 'viridis' });
    expect(history.redo()).toEqual({ layout: '3d' });
    expect(history.redo()).toBeUndefined();
  });

  it('does not count a restored value as a change, and drops undone steps after a new change', () => {
    const history = new History();
    history.clear(start);
    history.record({ ...start, layout: '3d' }, later());
    history.undo();
    history.record(start, later());
    expect(history.redoKeys).toEqual(['layout']);
    history.record({ ...start, colormap: 'bone' }, later());
    expect(history.redo()).toBeUndefined();
    expect(history.undo()).toEqual({ colormap: 'gray' });
  });

  it('makes one step of quick changes of the same key', () => {
    const history = new History();
    history.clear(start);
    for (const [index, high] of [250, 240, 230].entries())
      history.record({ ...start, window: [0, high] }, { atMs: index * 100, gesture: undefined });
    expect(history.undo()).toEqual({ window: [0, 255] });
    expect(history.undo()).toBeUndefined();
    expect(history.redo()).toEqual({ window: [0, 230] });
    // An undone or redone step is closed: the next change is another step, however soon.
    history.record({ ...start, window: [0, 100] }, { atMs: 201, gesture: undefined });
    expect(history.undo()).toEqual({ window: [0, 230] });
  });

  it('makes each change of a separate key a step, however soon', () => {
    const history = new History(undefined, ['measurements']);
    history.clear({ ...start, measurements: [] });
    for (const [index, measurements] of [['a'], ['a', 'b'], ['b']].entries())
      history.record({ ...start, measurements }, { atMs: index, gesture: undefined });
    expect(history.undo()).toEqual({ measurements: ['a', 'b'] });
    expect(history.undo()).toEqual({ measurements: ['a'] });
    expect(history.undo()).toEqual({ measurements: [] });
    // A drag of one is still one step.
    for (const [index, measurements] of [['c'], ['d']].entries())
      history.record({ ...start, measurements }, { atMs: 10 + index, gesture: 1 });
    expect(history.undo()).toEqual({ measurements: [] });
  });

  it('makes one step of a drag, however slow, and two of two drags, however quick', () => {
    const history = new History();
    history.clear(start);
    history.record({ ...start, window: [0, 250] }, { atMs: 0, gesture: 1 });
    history.record({ ...start, window: [0, 240] }, { atMs: 9000, gesture: 1 });
    history.record({ ...start, window: [0, 230] }, { atMs: 9100, gesture: 2 });
    expect(history.undo()).toEqual({ window: [0, 240] });
    expect(history.undo()).toEqual({ window: [0, 255] });
    expect(history.undo()).toBeUndefined();
  });

  it('makes no step of a drag that ends where it started', () => {
    const history = new History();
    history.clear(start);
    history.record({ ...start, window: [0, 250] }, { atMs: 0, gesture: 1 });
    history.record(start, { atMs: 1, gesture: 1 });
    expect(history.undoKeys).toEqual([]);
  });

  it('makes separate steps of different keys that change in quick succession', () => {
    const history = new History();
    history.clear(start);
    history.record({ ...start, layout: '3d' }, { atMs: 0, gesture: undefined });
    history.record({ ...start, layout: '3d', colormap: 'bone' }, { atMs: 1, gesture: undefined });
    expect(history.undo()).toEqual({ colormap: 'gray' });
    expect(history.undo()).toEqual({ layout: 'quad' });
  });

  it('drops the oldest steps, and everything when it is cleared', () => {
    const history = new History(2);
    history.clear({ n: 0 });
    for (let n = 1; n <= 3; n++) history.record({ n }, later());
    expect([history.undo(), history.undo(), history.undo()]).toEqual([{ n: 2 }, { n: 1 }, undefined]);
    history.clear({ n: 9 });
    expect([history.undo(), history.redo()]).toEqual([undefined, undefined]);
  });

  it('reaches the start after as many undos as steps, and the end after as many redos', () => {
    const change = fc.record({ key: fc.constantFrom('a', 'b', 'c'), value: fc.jsonValue({ maxDepth: 1 }), waitMs: fc.nat(1000) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const history = new History();
        const first: Record<string, unknown> = { a: 0, b: 0, c: 0 };
        history.clear(first);
        let now = first;
        let atMs = 0;
        for (const { key, value, waitMs } of changes) {
          now = { ...now, [key]: value };
          atMs += waitMs;
          history.record(now, { atMs, gesture: undefined });
        }
        const end = now;
        for (let step = history.undo(); step; step = history.undo()) now = { ...now, ...step };
        expect(JSON.stringify(now)).toBe(JSON.stringify(first));
        for (let step = history.redo(); step; step = history.redo()) now = { ...now, ...step };
        expect(JSON.stringify(now)).toBe(JSON.stringify(end));
      }),
    );
  });
});
