import type { SampleKind } from '../../../core/samples/sample-kinds.ts';

/** A sample to choose: a cube of `side` voxels, 8 bits each. */
export interface SampleChoice {
  readonly kind: SampleKind;
  readonly side: number;
}

/** The samples in the menu. */
export const sampleChoices: readonly { readonly kind: SampleKind; readonly title: string; readonly sides: readonly number[] }[] =
  [
    { kind: 'potential', title: 'Cosmic web', sides: [128, 256] },
    { kind: 'phantom', title: 'Head phantom', sides: [128, 256] },
    { kind: 'labels', title: 'Cell labels', sides: [128, 256] },
  ];

/** The name that the app shows: `Head phantom 128`. */
export function sampleTitle({ kind, side }: SampleChoice): string {
  const title = sampleChoices.find((choice) => choice.kind === kind)?.title ?? kind;
  return `${title} ${side}`;
}
