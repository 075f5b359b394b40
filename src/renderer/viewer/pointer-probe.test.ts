import { expect, test } from 'vitest';
import { testInfo } from '../../core/volume/resident-testing.ts';
import type { VolumeSource } from '../../core/volume/volume-source.ts';
import { PointerProbe } from './pointer-probe.ts';
import { SnapshotStore } from './snapshot-store.ts';
import { ViewerContent } from './viewer-content.ts';

const settle = () => new Promise((resolve) => setTimeout(resolve));

test('a value that arrives after the pointer has left is not shown', async () => {
  let end: (value: number) => void = () => {};
  const voxel = () =>
    new Promise<number>((resolve) => {
      end = resolve;
    });
  const content = new ViewerContent();
  content.volume = { info: testInfo([4, 4, 4, 1], 'u8'), decimation: 1, voxel } as unknown as VolumeSource;
  const store = new SnapshotStore();
  const probe = new PointerProbe(content, store);
  probe.read([1.5, 1.5, 1.5]);
  end(7);
  await settle();
  expect(store.snapshot().probe?.stored).toBe(7);
  probe.read(undefined);
  expect(store.snapshot().probe).toBeUndefined();
  for (const away of [undefined, [-1, 0, 0]] as const) {
    probe.read([1.5, 1.5, 1.5]);
    probe.read(away);
    end(8);
    await settle();
    expect(store.snapshot().probe).toBeUndefined();
  }
});
