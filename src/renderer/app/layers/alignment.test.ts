import { expect, it, vi } from 'vitest';
import { rotationOfAngles } from '../../../core/transforms/transform.ts';
import type { Host, HostFile } from '../../host/host.ts';
import { layerCenter, motionNumbers } from '../../viewer/model/alignment.ts';
import { base, layerInfo, testLook } from '../../viewer/model/layer-testing.ts';
import { changedLayer, type LayerLook, noLayers } from '../../viewer/model/layers.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import { Alignment } from './alignment.ts';

const layer = layerInfo('u8');
const fileOf = (name: string, text: string): HostFile =>
  ({ name, size: text.length, handle: { kind: 'blob', name, blob: new Blob([text]) } }) as unknown as HostFile;
const matrix = fileOf('b.mat', '1 0 0 5\n0 1 0 6\n0 0 1 7\n0 0 0 1\n');
const moveBy = (x: number, y: number, z: number) => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z];

function setUp(...ids: readonly string[]) {
  const store = createAppStore();
  const info = { kind: 'ready', info: layer, format: 'NIfTI', placedBy: 'world' } as const;
  store.setState(({ layers }) => ({
    gpu: { kind: 'ready' } as AppState['gpu'],
    document: { kind: 'ready', document: { info: base, name: 'scan.nii' } as OpenDocument },
    layers: {
      ...layers,
      stack: { ...noLayers, layers: ids.map((id) => testLook({ id, name: `${id}.nii.gz` })) },
      volumes: Object.fromEntries(ids.map((id) => [id, info])),
      chosen: ids[0],
    },
  }));
  const written: string[] = [];
  const saveAs = vi.fn(async (name: string) => ({
    name,
    write: async (bytes: Uint8Array) => void written.push(new TextDecoder().decode(bytes)),
    close: async () => {},
    abort: async () => {},
  }));
  const alignment = new Alignment({ openDialog: async () => [matrix], saveAs } as unknown as Host, store, {
    choose: (chosen) => store.setState(({ layers }) => ({ layers: { ...layers, chosen } })),
    change: (id, change) =>
      store.setState(({ layers }) => ({ layers: { ...layers, stack: changedLayer(layers.stack, id, change) } })),
  });
  const motionOf = (id: string): LayerLook['motion'] =>
    store.getState().layers.stack.layers.find((look) => look.id === id)?.motion;
  return { store, alignment, motionOf, saveAs, written };
}

it('moves the chosen layer by numbers, to the volume, and back', () => {
  const { alignment, motionOf } = setUp('a', 'b');
  const center = layerCenter(base, layer);
  alignment.setNumbers({ move: [1, 2, 3], turn: [0, 0, 90] });
  expect(motionNumbers(motionOf('a'), center).move.map((value) => Math.round(value * 1e9) / 1e9)).toEqual([1, 2, 3]);
  alignment.center();
  const turned = motionOf('a')?.filter((_, at) => at % 4 < 3);
  rotationOfAngles([0, 0, 90])
    .filter((_, at) => at % 4 < 3)
    .forEach((value, at) => {
      expect(turned?.[at]).toBeCloseTo(value, 9);
    });
  alignment.match();
  expect(motionOf('a')).not.toEqual(turned);
  alignment.reset();
  expect([motionOf('a'), motionOf('b')]).toEqual([undefined, undefined]);
});

it('asks about a file with a matrix, and moves the layer that the user names', async () => {
  const { alignment, motionOf, store } = setUp('a', 'b');
  expect(alignment.mayTake([matrix])).toBe(true);
  expect(await alignment.take(matrix)).toBe(true);
  expect(store.getState()).toMatchObject({
    overlay: 'matrix',
    layers: { matrix: { name: 'b.mat', stored: { formats: ['fsl', 'plain'] } } },
  });
  alignment.apply({ id: 'b', format: 'plain', moving: 'layer' });
  expect([motionOf('a'), motionOf('b')]).toEqual([undefined, moveBy(5, 6, 7)]);
  expect(store.getState()).toMatchObject({ overlay: 'none', layers: { matrix: undefined, chosen: 'b' } });
  await alignment.loadDialog();
  alignment.apply({ id: 'b', format: 'plain', moving: 'base' });
  expect(motionOf('b')).toEqual(moveBy(-5, -6, -7));
});

it('ignores text files without a matrix, and says why a matrix cannot be used', async () => {
  const { alignment, store } = setUp('a');
  const table = fileOf('labels.txt', '1 left 255 0 0\n2 right 0 255 0\n');
  expect(alignment.mayTake([table])).toBe(true);
  expect(await alignment.take(table)).toBe(false);
  expect(store.getState().overlay).toBe('none');
  await expect(alignment.take(fileOf('a.mat', '1 2 3'))).rejects.toThrow('four rows');
  expect(alignment.mayTake([matrix, matrix])).toBe(false);
  expect(alignment.mayTake([fileOf('a.nii', '')])).toBe(false);
  const none = setUp();
  expect(none.alignment.mayTake([matrix])).toBe(false);
  await expect(none.alignment.take(fileOf('a.tfm', ''))).rejects.toThrow('Add a layer first');
});

it('saves the motion of the chosen layer, the identity if it was not moved', async () => {
  const { alignment, saveAs, written } = setUp('a');
  await alignment.save('plain');
  expect(written).toEqual(['1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n']);
  alignment.setNumbers({ move: [1, 2, 3], turn: [0, 0, 0] });
  await alignment.save('itk');
  expect(saveAs.mock.calls.map(([name]) => name)).toEqual(['a.txt', 'a.tfm']);
  // The file maps from the volume to the layer, in LPS, so x and y change their signs and the motion is inverted.
  expect(written[1]).toMatch(/^Parameters: 1 0 0 0 1 0 0 0 1 1 2 -3$/m);
});

it('suggests a file name without folders', async () => {
  const { alignment, saveAs } = setUp('T1/T2');
  await alignment.save('plain');
  expect(saveAs).toHaveBeenCalledWith('T1_T2.txt');
});
