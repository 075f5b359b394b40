import type { ChunkVoxels, CodecParameters } from '../../codec/codec.ts';
import type { Axis } from '../../codec/scan-order.ts';
import { bytesOf, orderedByDefinition, packBits, startsRun } from '../../codec/scan-order-testing.ts';

/** An encoder written from SPEC.md, sentence by sentence, and slow. Only for tests; `reference` is the fast one. */
export function encodeByDefinition(chunk: ChunkVoxels, parameters: CodecParameters): Uint8Array {
  const ordered = orderedByDefinition(chunk, parameters[0] as Axis);

  // 'bit i % 8 of byte floor(i / 8) is 1 where element i starts a run.'
  const level0 = packBits(ordered.map((_, i) => startsRun(ordered, i)));
  // 'Bit j % 8 of byte floor(j / 8) of level k + 1 is 1 where byte j of level k is not 0.'
  const above = (level: readonly number[]) => packBits(level.map((byte) => byte !== 0));
  const level1 = above(level0);
  const level2 = above(level1);
  const level3 = above(level2);

  const nonzero = (level: readonly number[]) => level.filter((byte) => byte !== 0);
  const values = ordered.filter((_, i) => startsRun(ordered, i)).flatMap((value) => bytesOf(value, chunk.elementBytes));
  return Uint8Array.from([...level3, ...nonzero(level2), ...nonzero(level1), ...nonzero(level0), ...values]);
}
