import { elementCount } from '../../codec/batch.ts';
import type { CodecDefinition, CodecParameters } from '../../codec/codec.ts';
import { blockCount, payloadBound } from './layout.ts';
import { reference } from './reference.ts';

/** Prediction fitted to each chunk, and codes from fixed tables, in rows that decode in parallel: SPEC.md. */
export const wave: CodecDefinition = {
  id: 8,
  name: 'wave',
  summary: 'Prediction fitted to each chunk, for the smallest files of scans; slower to decode.',
  options: [],
  reason: 'a scan that fitted prediction makes small',
  standsAlone: true,
  isByNameOnly: true,
  elementBytes: [1, 2, 4],
  gigabytesPerSecond: 1,

  choose(): CodecParameters {
    return new Uint8Array(0);
  },

  /** Estimated from rice: on scans it is about a fifth smaller. `auto` does not consider it yet. */
  estimate(surveyed, chunk) {
    const { sampledElements, riceBits, softBits } = surveyed;
    const bits = sampledElements === 0 ? 0 : Math.min(softBits, ...riceBits) / sampledElements;
    const headers = 200 * blockCount(chunk);
    return Math.max(1, Math.min(Math.ceil(headers + (0.8 * bits * elementCount(chunk)) / 8), payloadBound(chunk)));
  },

  encodedBound: payloadBound,
  reference,
};
