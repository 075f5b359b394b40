import { expect, test } from 'vitest';
import type { HostFile } from '../../host/host.ts';
import { foundSurfaces, type MeshFilePlace } from './saved-surfaces.ts';

test('files are not used for surfaces of a volume that was closed while the files were compared', async () => {
  const given = { name: 'a.obj', size: 3 } as HostFile;
  const placeOf = (object: number): MeshFilePlace => ({ source: { files: [{ path: 'a.obj', size: 3 }] }, object });
  const lost = new Map([
    ['mesh-1', placeOf(0)],
    ['mesh-2', placeOf(1)],
  ]);
  const needs = { lostFileOf: (id: string) => lost.get(id) };
  expect(await foundSurfaces(['mesh-1', 'mesh-2'], needs, [given])).toEqual(
    new Map([
      ['mesh-1', { file: given, object: 0 }],
      ['mesh-2', { file: given, object: 1 }],
    ]),
  );
  const closing = {
    lostFileOf: (id: string) => {
      // By then, another volume has a surface with the first one's id.
      if (id === 'mesh-2') lost.set('mesh-1', placeOf(5));
      return lost.get(id);
    },
  };
  expect([...(await foundSurfaces(['mesh-1', 'mesh-2'], closing, [given])).keys()]).toEqual(['mesh-2']);
});
