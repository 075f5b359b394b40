export const sampleKinds = ['zero', 'sequence254', 'sequence255', 'potential', 'phantom', 'labels'] as const;
export type SampleKind = (typeof sampleKinds)[number];

/** One sentence per kind for users, with its full stop. */
export const sampleSummaries: Readonly<Record<SampleKind, string>> = {
  zero: 'Zeros only.',
  sequence254: 'A count from 0 to 254, repeated: no runs along x.',
  sequence255: 'A count from 0 to 255, repeated: columns along y are constant.',
  potential: 'A sparse cosmic web: halos, filaments, and mostly nothing.',
  phantom: 'A head of ellipsoids with soft tissue and noise.',
  labels: 'Touching cells, each of one label.',
};

/** The voxel types of samples. */
export const sampleTypes = ['u8', 'u16', 'f32'] as const;
export type SampleType = (typeof sampleTypes)[number];
