import { describe, expect, it } from 'vitest';
import { type Dims4, volumeBytes } from '../../../core/shared/volume.ts';
import { finestChoice, firstChoice, hasBricks, isHeldBack, type LevelOffer, type LoadFacts } from './level-choice.ts';

const MiB = 2 ** 20;

/** A cube of `side` u8 voxels along each edge, and `count` levels, each with half the edge of the one before. */
function facts(side: number, count: number, change: Partial<LoadFacts> = {}): LoadFacts {
  const dims: Dims4 = [side, side, side, 1];
  const levels = Array.from({ length: count }, (_, index): LevelOffer => {
    const factor = 2 ** (index + 1);
    const length = Math.ceil(side / factor);
    return { dims: [length, length, length, 1], factors: [factor, factor, factor], chunkShape: [64, 64, 64] };
  });
  const budgetBytes = change.budgetBytes ?? 256 * MiB;
  return {
    info: { dims, type: 'u8' },
    levels,
    hasChunks: true,
    hasVoxelBricks: false,
    payloadBytes: volumeBytes({ dims, type: 'u8' }) / 2,
    hasPreview: false,
    budgetBytes,
    fromLevel: 0,
    isRemote: false,
    staysCompressed: false,
    fits: (level) => volumeBytes({ dims: levels[level - 1]?.dims ?? dims, type: 'u8' }) <= budgetBytes,
    canDecode: () => true,
    ...change,
  };
}

describe('the part of a file that is loaded', () => {
  it('is the whole volume if it fits, as voxels or chunks', () => {
    expect(finestChoice(facts(256, 1))).toEqual({ level: 0, as: 'chunks', residency: 'raw' });
    expect(finestChoice(facts(256, 0, { hasChunks: false }))).toEqual({ level: 0, as: 'voxels', residency: 'raw' });
    expect(finestChoice(facts(256, 0, { staysCompressed: true }))).toEqual({ level: 0, as: 'chunks', residency: 'compressed' });
  });

  it('is the whole volume, compressed, if only that fits', () => {
    expect(finestChoice(facts(768, 2))).toEqual({ level: 0, as: 'chunks', residency: 'compressed' });
  });

  it('is the finest level that fits', () => {
    expect(finestChoice(facts(2048, 4))).toEqual({ level: 2, as: 'chunks', residency: 'raw' });
    expect(finestChoice(facts(1024, 3, { hasChunks: false }))).toMatchObject({ level: 1 });
    expect(finestChoice(facts(2048, 4, { canDecode: () => false }))).toMatchObject({ level: 2, as: 'voxels' });
  });

  it('is the coarsest level, or the volume if there are no levels, with gaps, if nothing fits', () => {
    expect(finestChoice(facts(2048, 2, { budgetBytes: MiB }))).toEqual({ level: 2, as: 'voxels', residency: 'raw' });
    expect(finestChoice(facts(2048, 0))).toEqual({ level: 0, as: 'voxels', residency: 'raw' });
  });

  it('is a coarser level once the device had no memory for a finer one', () => {
    expect(finestChoice(facts(256, 3, { fromLevel: 1 }))).toEqual({ level: 1, as: 'chunks', residency: 'raw' });
    expect(finestChoice(facts(2048, 4, { fromLevel: 4 }))).toMatchObject({ level: 4 });
    expect(firstChoice(facts(512, 3, { fromLevel: 2, budgetBytes: 2 ** 31 }))).toMatchObject({ level: 2 });
  });

  it('is smaller over a network, if there are levels', () => {
    const far = { isRemote: true, budgetBytes: 2 ** 31 };
    expect(finestChoice(facts(1024, 3, far))).toMatchObject({ level: 1 });
    expect(finestChoice(facts(1024, 0, far))).toMatchObject({ level: 0, as: 'chunks' });
    expect(finestChoice(facts(512, 2, far))).toMatchObject({ level: 0 });
  });

  it('is held back by the network, or by the memory of the GPU', () => {
    expect(isHeldBack(facts(1024, 3, { isRemote: true, budgetBytes: 2 ** 31 }), 1)).toBe(true);
    expect(isHeldBack(facts(2048, 4, { isRemote: true }), 2)).toBe(false);
    expect(isHeldBack(facts(2048, 4), 2)).toBe(false);
  });
});

describe('bricks', () => {
  it('are chunks that the GPU decodes, or boxes of voxels, of volumes that exceed its memory', () => {
    expect(hasBricks(facts(2048, 4), [64, 64, 64])).toBe(true);
    expect(hasBricks(facts(2048, 4), [64, 64, 64, 8])).toBe(false);
    expect(hasBricks(facts(2048, 0), [64, 64, 64])).toBe(false);
    expect(hasBricks(facts(256, 1), [64, 64, 64])).toBe(false);
    const plain = { hasChunks: false, canDecode: () => false };
    expect(hasBricks(facts(2048, 4, { ...plain, hasVoxelBricks: true }), undefined)).toBe(true);
    expect(hasBricks(facts(2048, 4, plain), undefined)).toBe(false);
    expect(hasBricks(facts(256, 1, { ...plain, hasVoxelBricks: true }), undefined)).toBe(false);
    // Levels that will be made need not be there yet.
    expect(hasBricks(facts(2048, 0, { ...plain, hasVoxelBricks: true }), undefined)).toBe(true);
  });
});

describe('the first picture', () => {
  it('comes from a coarse level of a large volume', () => {
    expect(firstChoice(facts(2048, 4))).toEqual({ level: 4, as: 'chunks', residency: 'raw' });
    expect(firstChoice(facts(1024, 3, { budgetBytes: 2 ** 31 }))).toEqual({ level: 3, as: 'chunks', residency: 'raw' });
  });

  it('comes from a coarse level of a series whose voxels cannot stay compressed', () => {
    expect(firstChoice(facts(2048, 4, { staysCompressed: true, hasChunks: false }))).toMatchObject({ level: 4 });
  });

  it('is a preview of a file without levels over a network, unless the file is short or stays compressed', () => {
    const far = { isRemote: true, hasPreview: true };
    expect(firstChoice(facts(256, 0, far))).toEqual({ level: 0, as: 'preview', residency: 'raw' });
    expect(firstChoice(facts(256, 0, { ...far, payloadBytes: 2 ** 22 }))).toMatchObject({ as: 'chunks' });
    expect(firstChoice(facts(256, 0, { ...far, staysCompressed: true }))).toMatchObject({ as: 'chunks' });
    expect(firstChoice(facts(256, 0, { hasPreview: true }))).toMatchObject({ as: 'chunks' });
  });

  it('comes at once from small volumes, series, and files without levels', () => {
    for (const one of [
      facts(300, 2),
      facts(1024, 3, { staysCompressed: true }),
      facts(2048, 0),
      facts(2048, 2, { budgetBytes: MiB }),
    ]) {
      expect(firstChoice(one)).toEqual(finestChoice(one));
    }
  });
});
