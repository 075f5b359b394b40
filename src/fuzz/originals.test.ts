import { expect, test } from 'vitest';
import { createCpuBackend } from '../core/cpu/cpu-backend.ts';
import { inlinePool } from '../core/cpu/inline-pool.ts';
import { memoryTree } from '../core/io/common/file-tree.ts';
import { readVoxels } from '../core/io/common/source-testing.ts';
import { openVolume } from '../core/io/open-volume.ts';
import { memorySource } from '../core/shared/bytes.ts';
import { volumeBytes } from '../core/shared/volume.ts';
import { check } from './checks.ts';
import { collectionOriginals } from './collection-originals.ts';
import { inputOriginals, siblingsOf } from './originals.ts';

test('each original opens as long as it is not damaged, and keeps what is promised', async () => {
  const backends = { cpu: createCpuBackend(inlinePool()) };
  // The last plain one is of no format.
  for (const original of [...inputOriginals().slice(0, -1), ...(await collectionOriginals())]) {
    const { name, files, isFolder } = original;
    const [first] = files;
    const folder = Object.fromEntries(files.map((file) => [file.name, file.bytes]));
    const input = isFolder ? memoryTree('folder', folder) : memorySource(first?.name ?? '', first?.bytes ?? new Uint8Array());
    const volume = await openVolume(input, isFolder ? {} : { siblings: siblingsOf(files) });
    expect((await readVoxels(volume)).byteLength, name).toBe(volumeBytes(volume.info));
    await check({ ...original, isContainer: false }, backends);
  }
});
