import type { FuzzCase, FuzzChoice } from './cases.ts';

/** The task that the parent sends to a child, once. */
export interface ChildTask {
  readonly seed: number;
  readonly first: number;
  readonly end: number;
  readonly withGpu: boolean;
  readonly choice: FuzzChoice;
  /** The most by which a case may raise the process's peak memory. */
  readonly mostMegabytes: number;
}

/** Messages from a child. */
export type ChildWord =
  | { readonly kind: 'ready'; readonly hasGpu: boolean }
  /** It starts this case. */
  | { readonly kind: 'case'; readonly number: number }
  | { readonly kind: 'passed'; readonly of: FuzzCase['kind'] }
  | {
      readonly kind: 'finding';
      readonly number: number;
      readonly name: string;
      readonly what: string;
      readonly files: readonly { readonly name: string; readonly base64: string }[];
    }
  | { readonly kind: 'done' };
