import { describe, expect, it } from 'vitest';
import { ChunkMap } from '../../../core/chunks/chunk-map.ts';
import { codecs } from '../../../core/codecs/registry.ts';
import { checksum } from '../../../core/format/checksum.ts';
import { describeChunkAt, describeCodecs, describeHeld, describeWay, formatShare, reasonOf } from './ways.ts';

describe('a way', () => {
  it('is named by its codecs and its axis', () => {
    expect(describeWay({ codec: 'constant' })).toBe('constant');
    expect(describeWay({ codec: 'rle+huffman', axis: 'z' })).toBe('rle + huffman along z');
  });

  it('has a reason as text', () => {
    expect(reasonOf({ codec: 'rle', axis: 'z' })).toBe('runs along z');
    expect(reasonOf({ codec: 'rle+huffman', axis: 'x' })).toBe('runs along x, few distinct bytes');
    expect(reasonOf({ codec: 'predict+huffman' })).toBe('smooth, noise varies');
    expect(reasonOf({ codec: 'raw' })).toBe('no codec made it smaller');
    expect(reasonOf({ codec: 'codec 77' })).toBe('smallest this way');
  });

  it.each([...codecs.map(({ name }) => name), 'constant', 'ramp'])('%s has its own reason', (codec) => {
    expect(reasonOf({ codec })).not.toBe('smallest this way');
  });
});

it('the codecs with the most bytes are named, at most two', () => {
  const share = (codec: string, bytes: number, axis?: 'x' | 'y' | 'z') => ({ codec, bytes, count: 1, ...(axis && { axis }) });
  expect(describeCodecs([share('constant', 0)])).toBe('index alone');
  expect(describeCodecs([share('constant', 0), share('wave', 9)])).toBe('wave');
  expect(describeCodecs([share('rle', 4, 'x'), share('wave', 9), share('rle', 8, 'z')])).toBe('rle and wave');
  expect(describeCodecs([share('rice', 1), share('rle+huffman', 2), share('wave', 3)])).toBe('wave, rle + huffman and others');
  expect(describeHeld(2048, [share('wave', 9)])).toBe('2.00\u202fKiB, wave');
});

it('shares are whole percent, but 0 and 100 only if exact', () => {
  const shares = [
    [0, 5],
    [1, 1000],
    [1, 3],
    [999, 1000],
    [5, 5],
    [0, 0],
  ] as const;
  expect(shares.map(([part, whole]) => formatShare(part, whole).replaceAll('\u202f', ''))).toEqual([
    '0%',
    '<1%',
    '33%',
    '>99%',
    '100%',
    '0%',
  ]);
});

it('a chunk is described by number, way, bytes and ratio', () => {
  const decodedChecksum = checksum(new Uint8Array(4));
  const constant = { kind: 'constant', element: Uint8Array.of(7), decodedChecksum } as const;
  const stages = [{ codecId: 2, parameters: Uint8Array.of(2) }];
  const payload = new Uint8Array(8);
  const coded = { kind: 'coded', stages, payload, encodedChecksum: decodedChecksum, decodedChecksum } as const;
  const map = new ChunkMap({ dims: [8, 4, 4, 1], type: 'u8' }, [4, 4, 4], [constant, coded]);
  expect(describeChunkAt(map, [0, 0, 0], 0)).toBe('chunk 1: 1 constant');
  expect(describeChunkAt(map, [5, 0, 0], 0).replaceAll('\u202f', ' ')).toBe('chunk 2: 2 rle along z, 8 B, 8.00 ×');
});
