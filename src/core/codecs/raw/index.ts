import { chunkBytes } from '../../codec/batch.ts';
import { type CodecDefinition, noParameters } from '../../codec/codec.ts';
import { reference } from './reference.ts';

/** Stores voxels unchanged: the fallback for chunks that no codec makes smaller. */
export const raw: CodecDefinition = {
  id: 1,
  name: 'raw',
  summary: 'Stores the voxels unchanged, for data that no codec makes smaller.',
  options: [],
  reason: 'no codec made it smaller',
  standsAlone: true,
  elementBytes: [1, 2, 4],
  gigabytesPerSecond: 1000,
  choose: () => noParameters,
  estimate: (_statistics, chunk) => chunkBytes(chunk),
  encodedBound: chunkBytes,
  reference,
};
