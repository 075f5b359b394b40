export const sampleKinds = ['zero', 'sequence254', 'sequence255', 'potential', 'phantom', 'labels'] as const;
export type SampleKind = (typeof sampleKinds)[number];

/** The voxel types of samples. */
export const sampleTypes = ['u8', 'u16', 'f32'] as const;
export type SampleType = (typeof sampleTypes)[number];
