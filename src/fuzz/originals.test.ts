import { expect, test } from 'vitest';
import { createCpuBackend } from '../core/cpu/cpu-backend.ts';
import { inlinePool } from '../core/cpu/inline-pool.ts';
import { memoryTree } from '../core/io/common/file-tree.ts';
import { readVoxels } from '../core/io/common/source-testing.ts';
import { parseLabelTable } from '../core/io/label-tables/read-label-table.ts';
import { openVolume } from '../core/io/open-volume.ts';
import { parseMesh } from '../core/mesh/read/read-mesh.ts';
import { openParticles } from '../core/particles/formats/open-particles.ts';
import { particleCount } from '../core/particles/particles.ts';
import { memorySource } from '../core/shared/bytes.ts';
import { volumeBytes } from '../core/shared/volume.ts';
import { parseTransform } from '../core/transforms/layer-transforms.ts';
import { caseOf } from './cases.ts';
import { check } from './checks.ts';
import { collectionOriginals } from './collection-originals.ts';
import { inputOriginals, siblingsOf } from './originals.ts';
import { otherOriginals } from './other-originals.ts';

test('each undamaged original opens and keeps the promises', async () => {
  const backends = { cpu: createCpuBackend(inlinePool()) };
  // The last plain one is of no format.
  for (const original of [...inputOriginals().slice(0, -1), ...(await collectionOriginals())]) {
    const { name, files, isFolder } = original;
    const [first] = files;
    const folder = Object.fromEntries(files.map((file) => [file.name, file.bytes]));
    const input = isFolder ? memoryTree('folder', folder) : memorySource(first?.name ?? '', first?.bytes ?? new Uint8Array());
    const volume = await openVolume(input, isFolder ? {} : { siblings: siblingsOf(files) });
    expect((await readVoxels(volume)).byteLength, name).toBe(volumeBytes(volume.info));
    await check({ ...original, kind: 'input' }, backends);
  }
});

test('particles, tables, meshes, matrices and server responses: undamaged ones open, and damage ends as it should', async () => {
  const backends = { cpu: createCpuBackend(inlinePool()) };
  const others = await otherOriginals();
  for (const { kind, files, isFolder, name } of others) {
    const [first] = files;
    const bytes = first?.bytes ?? new Uint8Array();
    const folder = Object.fromEntries(files.map((file) => [file.name, file.bytes]));
    if (kind === 'labels') expect(parseLabelTable(bytes).length, name).toBeGreaterThan(0);
    else if (kind === 'mesh')
      expect((await parseMesh(new Uint8Array(bytes), name, { metres: 1e-3 })).meshes).toHaveLength(name === 'parts.obj' ? 2 : 1);
    else if (kind === 'matrix') expect(parseTransform(bytes, name).numbers).toHaveLength(12);
    else {
      const set = await openParticles(isFolder ? memoryTree(name, folder) : memorySource(name, bytes), {}, {});
      expect(particleCount(set.groups), name).toBeGreaterThan(1);
      set.close?.();
    }
    await check({ name, files, kind, ...(isFolder && { isFolder }) }, backends);
  }
  for (let number = 0; number < 300; number++) {
    await check(await caseOf(1, number, { containers: [], inputs: [], others }, 'others'), backends);
  }
});
