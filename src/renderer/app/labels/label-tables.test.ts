import { describe, expect, test } from 'vitest';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import { firstLabelLook, isLabelShown, withLabelEdit, withLabelShown } from '../../viewer/model/label-look.ts';
import { testLook } from '../../viewer/model/layer-testing.ts';
import { baseId, noLayers } from '../../viewer/model/layers.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import { labelStatisticsCsv } from './label-csv.ts';
import { labelledVolume, labelName, labelRows, labelTableOf } from './label-tables.ts';

const own = [
  { number: 1, name: 'Liver', color: '#ff0000' },
  { number: 2, name: 'Spleen' },
  { number: 10, name: 'kidney' },
];
const info = testInfo([4, 4, 4, 1], 'u8');

function stateWith(change: Partial<AppState> = {}): AppState {
  const document = { kind: 'ready', document: { info, labels: { table: own } } } as unknown as AppState['document'];
  return { ...createAppStore().getState(), document, ...change };
}

describe('the rows of a list', () => {
  const counts = new Map([
    [0, 100],
    [2, 5],
    [3, 9],
    [10, 7],
  ]);
  const all = { order: 'number', isDescending: false, search: '' } as const;
  const numbers = (choice: Partial<Parameters<typeof labelRows>[2]>) =>
    labelRows(own, counts, { ...all, ...choice }).map(({ number }) => number);

  test('are the labels that have voxels, without the background', () => {
    expect(labelRows(own, counts, all)[0]).toEqual({ number: 2, name: 'Spleen', color: undefined, voxels: 5 });
    expect(numbers({})).toEqual([2, 3, 10]);
  });

  test('are the labels of the table if there are no counts', () => {
    expect(labelRows(own, undefined, all).map(({ number, voxels }) => [number, voxels])).toEqual([
      [1, undefined],
      [2, undefined],
      [10, undefined],
    ]);
  });

  test('are sorted, labels without a name last, and found by name or exact number', () => {
    expect(numbers({ order: 'name' })).toEqual([10, 2, 3]);
    expect(numbers({ order: 'voxels', isDescending: true })).toEqual([3, 10, 2]);
    expect(numbers({ search: 'KID' })).toEqual([10]);
    expect(numbers({ search: '3' })).toEqual([3]);
    expect(numbers({ search: '1' })).toEqual([]);
  });
});

test('a table is the loaded one, or else the file’s own, with edits over it; it stays one object while nothing changes', () => {
  const edited = withLabelEdit(withLabelEdit(firstLabelLook, { number: 2, name: 'Milz' }), { number: 2, color: '#00ff00' });
  const withLook = (labels: typeof edited) => ({
    ...createAppStore().getState().layers,
    stack: { ...noLayers, base: { ...noLayers.base, labels } },
  });
  expect(labelTableOf(stateWith(), baseId)).toBe(own);
  const state = stateWith({ layers: withLook(edited) });
  expect(labelTableOf(state, baseId)).toEqual([own[0], { number: 2, name: 'Milz', color: '#00ff00' }, own[2]]);
  expect(labelTableOf(state, baseId)).toBe(labelTableOf({ ...state }, baseId));
  expect(labelName(labelTableOf(state, baseId), 2)).toBe('Milz');
  const loaded = { 'table-1': { name: 'a.csv', table: [{ number: 1, name: 'Other' }] } };
  const labels = { ...state.labels, loaded };
  expect(labelTableOf(stateWith({ labels, layers: withLook({ ...firstLabelLook, table: 'table-1' }) }), baseId)).toBe(
    loaded['table-1'].table,
  );
  // A table that is missing, for example from a session.
  expect(labelTableOf(stateWith({ layers: withLook({ ...firstLabelLook, table: 'lost' }) }), baseId)).toBe(own);
});

test('labels are shown and hidden one by one, whether all or none are shown', () => {
  const none = { ...firstLabelLook, shows: 'none' } as const;
  expect(isLabelShown(withLabelShown(firstLabelLook, 3, false), 3)).toBe(false);
  expect(withLabelShown(withLabelShown(firstLabelLook, 3, false), 3, true)).toEqual(firstLabelLook);
  expect(isLabelShown(withLabelShown(none, 3, true), 3)).toBe(true);
  expect(withLabelShown(withLabelShown(none, 3, true), 3, false)).toEqual(none);
});

test('commands apply to the chosen layer of labels, else to the open volume, else to the top layer of labels', () => {
  const layers = [testLook({ id: 'a', colormap: 'labels' }), testLook({ id: 'b' }), testLook({ id: 'c', colormap: 'labels' })];
  const chosen = (id: string | undefined, isBaseLabels: boolean) => {
    const state = stateWith();
    return labelledVolume({
      ...state,
      labels: { ...state.labels, isBaseLabels },
      layers: { ...state.layers, stack: { ...noLayers, layers }, chosen: id },
    });
  };
  expect(chosen('a', true)).toBe('a');
  expect(chosen('b', true)).toBe(baseId);
  expect(chosen('b', false)).toBe('c');
  expect(labelledVolume(stateWith())).toBeUndefined();
});

test('statistics as CSV: a field without a number is empty', () => {
  const half = { ...info, affine: [0.5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], spatialUnit: 'mm' } as const;
  const row = { number: 1, outside: 2, count: 1, notFinite: 0, mean: 4.5, deviation: Number.NaN, min: 4.5, max: 4.5 };
  const csv = labelStatisticsCsv([row, { ...row, number: 7 }], [{ number: 1, name: 'Lobe, "left"' }], half);
  expect(csv.split('\r\n')).toEqual([
    'label,name,voxels,volume_mm3,count,outside,not_finite,mean,deviation,min,max',
    '1,"Lobe, ""left""",3,1.5,1,2,0,4.5,,4.5,4.5',
    '7,,3,1.5,1,2,0,4.5,,4.5,4.5',
    '',
  ]);
  // As `stria stats` has it: in the file's unit, and not at all without one.
  expect(labelStatisticsCsv([row], [], { ...half, spatialUnit: 'um' })).toMatch(
    /^label,name,voxels,volume_um3,count.*\r\n1,,3,1\.5,1,/,
  );
  expect(labelStatisticsCsv([row], [], { ...half, spatialUnit: 'unknown' })).toMatch(/^label,name,voxels,count,.*\r\n1,,3,1,2,/);
});
