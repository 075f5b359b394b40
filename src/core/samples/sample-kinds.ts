export const sampleKinds = ['zero', 'sequence254', 'sequence255', 'potential', 'phantom', 'labels'] as const;
export type SampleKind = (typeof sampleKinds)[number];
