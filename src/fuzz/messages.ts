/** What the parent asks of a child: once. */
export interface ChildTask {
  readonly seed: number;
  readonly first: number;
  readonly end: number;
  readonly withGpu: boolean;
  /** By how much a case may raise the peak of the process's memory. */
  readonly mostMegabytes: number;
}

/** What a child says. */
export type ChildWord =
  | { readonly kind: 'ready'; readonly hasGpu: boolean }
  /** It begins this case. */
  | { readonly kind: 'case'; readonly number: number }
  | {
      readonly kind: 'finding';
      readonly number: number;
      readonly name: string;
      readonly what: string;
      readonly files: readonly { readonly name: string; readonly base64: string }[];
    }
  | { readonly kind: 'done' };
