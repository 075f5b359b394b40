import type { SampleKind } from '../../../core/samples/sample-kinds.ts';

/** A sample as people choose it: a cube of `side` voxels, 8 bits each. */
export interface SampleChoice {
  readonly kind: SampleKind;
  readonly side: number;
}

/** The samples that are worth a look. */
export const sampleChoices: readonly { readonly kind: SampleKind; readonly title: string; readonly sides: readonly number[] }[] =
  [
    { kind: 'potential', title: 'Cosmic web', sides: [128, 256] },
    { kind: 'phantom', title: 'Head phantom', sides: [128, 256] },
    { kind: 'labels', title: 'Cell labels', sides: [128, 256] },
  ];

/** `Head phantom 128`: the name that the app shows. */
export function sampleTitle({ kind, side }: SampleChoice): string {
  const title = sampleChoices.find((choice) => choice.kind === kind)?.title ?? kind;
  return `${title} ${side}`;
}
