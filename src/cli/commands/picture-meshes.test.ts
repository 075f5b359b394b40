import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { memoryVolume } from '../../core/stream/memory-volume.ts';
import { testInfo, testVoxels } from '../../core/volume/resident-testing.ts';
import { baseId, isLayerShown, noLayers } from '../../renderer/viewer/model/layers.ts';
import type { ViewState } from '../../renderer/viewer/model/viewer-api.ts';
import { PictureMeshes } from './picture-meshes.ts';
import { savedView } from './picture-session.ts';
import type { PictureSession, SessionHosts } from './session-places.ts';

beforeAll(() => {
  vi.stubGlobal('GPUBufferUsage', { VERTEX: 1, INDEX: 2, STORAGE: 4 });
});
afterAll(() => {
  vi.unstubAllGlobals();
});

test('a surface that a session shows alone is shown in the picture', async () => {
  const info = testInfo([6, 5, 4, 1], 'u8');
  const saved = (id: string) => ({
    look: { id, name: id, isVisible: true, opacity: 1, color: '#a1b2c3' },
    source: { from: baseId, surface: { level: 100 }, timePoint: 0, smoothing: 0 },
  });
  const layers = { ...noLayers, solo: 'mesh-7', list: [], meshes: [saved('mesh-3'), saved('mesh-7')], meshFiles: [], tables: {} };
  const session = { path: 'a.stria-session', saved: { layers, view: {} } } as unknown as PictureSession;
  const note = vi.fn();
  const meshes = new PictureMeshes(session, { note });
  await meshes.extract(baseId, memoryVolume(info, testVoxels(info)), {});
  const gpu = { scope: () => ({ buffer: () => ({}), destroy: () => {} }) } as unknown as Gpu;
  await meshes.upload(gpu, info, {} as SessionHosts, {}, []);
  expect(note).not.toHaveBeenCalled();
  const { layers: shown = noLayers } = savedView(session, {} as ViewState, new Set(), meshes.looks);
  expect(shown.meshes.map((look) => [look.name, isLayerShown(shown, look)])).toEqual([['mesh-7', true]]);
  expect([...meshes.meshes.keys()]).toEqual(['mesh-7']);
});
