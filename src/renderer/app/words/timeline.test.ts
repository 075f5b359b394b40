import { expect, test } from 'vitest';
import { followedBy, timelineRows } from './timeline.ts';

test('spans become one row per stage, on one time scale that starts with the first', () => {
  const { rows, totalMs } = timelineRows([
    { stage: 'Read', startMs: 10, endMs: 30, bytes: 5 },
    { stage: 'Encode', startMs: 20, endMs: 110, bytes: 9 },
    { stage: 'Read', startMs: 50, endMs: 60, bytes: 4 },
  ]);
  expect(totalMs).toBe(100);
  expect(rows).toEqual([
    {
      stage: 'Read',
      ms: 30,
      startMs: 0,
      endMs: 50,
      bytes: 9,
      bars: [
        { from: 0, length: 0.2 },
        { from: 0.4, length: 0.1 },
      ],
    },
    { stage: 'Encode', ms: 90, startMs: 10, endMs: 100, bytes: 9, bars: [{ from: 0.1, length: 0.9 }] },
  ]);
});

test('no spans, and spans of no duration, have no length', () => {
  expect(timelineRows([])).toEqual({ rows: [], totalMs: 0 });
  expect(timelineRows([{ stage: 'Read', startMs: 3, endMs: 3, bytes: 0 }]).rows[0]?.bars).toEqual([{ from: 0, length: 0 }]);
});

test('later work follows without a gap', () => {
  const compressed = [
    { stage: 'Encode', startMs: 2, endMs: 30, bytes: 9 },
    { stage: 'Check', startMs: 30, endMs: 50, bytes: 9 },
  ];
  const saved = [
    { stage: 'Write', startMs: 1, endMs: 5, bytes: 4 },
    { stage: 'Save', startMs: 5, endMs: 9, bytes: 0 },
  ];
  expect(followedBy(compressed, saved).map(({ stage, startMs, endMs }) => [stage, startMs, endMs])).toEqual([
    ['Encode', 2, 30],
    ['Check', 30, 50],
    ['Write', 50, 54],
    ['Save', 54, 58],
  ]);
  expect(followedBy(compressed, [])).toEqual(compressed);
});
