import { afterEach, expect, test, vi } from 'vitest';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import { Output } from './output.ts';

afterEach(() => vi.unstubAllGlobals());

test('a picture of a slice is named by the number that the window and its caption show', async () => {
  vi.stubGlobal('window', { devicePixelRatio: 1 });
  const store = createAppStore();
  const document = { info: testInfo([8, 8, 64, 1], 'u8'), name: 'scan.nii.gz' } as OpenDocument;
  const viewer = { snapshot: () => ({ state: { crosshair: [0, 1, 40] } }) } as unknown as Viewer;
  store.setState({ document: { kind: 'ready', document }, gpu: { kind: 'ready', viewer } as unknown as AppState['gpu'] });
  const names: string[] = [];
  const saveAs = async (name: string) => void names.push(name);
  const output = new Output({ saveAs } as never, store);
  for (const view of ['z', 'x', '3d', 'oblique', 'layout'] as const) {
    output.setPicture({ view });
    await output.savePicture();
  }
  expect(names).toEqual(['scan z 41.png', 'scan x 1.png', 'scan 3D.png', 'scan oblique.png', 'scan.png']);
});
