import { stageList } from '../chunks/choose.ts';
import { rampOf } from '../chunks/ramp.ts';
import type { ChunkGeometry } from '../codec/codec.ts';
import type { Checksum } from '../format/checksum.ts';
import type { ChunkOutline, ComputedChunk } from '../format/chunk.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { StoredChunk } from './decode-planner.ts';
import { movePayloads } from './gpu-payloads.ts';
import type { Encoded } from './group-encoder.ts';

/** An encoded chunk in GPU memory. */
export type PlacedChunk = ComputedChunk | PlacedCodedChunk;

export interface PlacedCodedChunk extends Encoded {
  readonly kind: 'coded';
  readonly decodedChecksum: Checksum;
}

/** As `movePayloads`, for chunks of which some have no payloads. @returns the chunks with their new places */
export function movePlaced(
  gpu: Gpu,
  chunks: readonly PlacedChunk[],
  target: (byteLength: number) => GPUBuffer,
): readonly PlacedChunk[] {
  const coded = chunks.filter((chunk) => chunk.kind === 'coded');
  if (coded.length === 0) return chunks;
  const { buffer, byteOffsets } = movePayloads(gpu, coded, target);
  let next = 0;
  return chunks.map((chunk) => {
    if (chunk.kind !== 'coded') return chunk;
    // Without a spread, which takes longer: a batch has hundreds of chunks.
    const { kind, stages, firstLength, byteLength, checksum, decodedChecksum } = chunk;
    const byteOffset = byteOffsets[next++] as number;
    return { kind, stages, firstLength, buffer, byteOffset, byteLength, checksum, decodedChecksum };
  });
}

/** The chunk as decoders plan it. */
export function storedChunk(chunk: PlacedChunk, geometry: ChunkGeometry): StoredChunk {
  if (chunk.kind !== 'coded') return { kind: 'ramp', ramp: rampOf(chunk, geometry) };
  const { stages, firstLength, buffer, byteOffset, byteLength } = chunk;
  const [first, second] = stages as [(typeof stages)[number], (typeof stages)[number]?];
  return {
    kind: 'coded',
    ...first,
    second: second && { ...second, decodedLength: firstLength as number },
    buffer,
    byteOffset,
    byteLength,
  };
}

export function outlineOf(chunk: PlacedChunk): ChunkOutline {
  if (chunk.kind !== 'coded') return chunk;
  return { kind: 'coded', stages: stageList(chunk.stages), payload: { byteLength: chunk.byteLength } };
}
