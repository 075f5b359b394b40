import type { CodecOptions } from '../../../core/codec/codec.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { Progress } from '../../../core/shared/job.ts';
import type { CompressReport } from '../../../core/stream/compress/compress-contract.ts';
import type { LoadRequest } from '../loading/load-protocol.ts';
import type { KeptTunings } from '../state/gpu-tuning.ts';

/** The codec options, in a form that can be posted. */
export interface CodecChoice extends CodecOptions {
  /** The name of a codec or chain, or 'auto'. */
  readonly codec: string;
}

/** The codec options of the settings. */
export function codecChoice({ settings }: { readonly settings: CodecChoice }): CodecChoice {
  const { codec, axis, prefer, effort } = settings;
  return { codec, axis, prefer, effort };
}

/** What is made of a file: a .stria of all of it, or of its levels alone. */
export type CompressedKind = 'stria' | 'levels';

/** From the window to the worker. `job` is a number chosen by the window. */
export type CompressOrder =
  | {
      readonly kind: 'compress';
      readonly job: number;
      readonly request: LoadRequest;
      readonly makes: CompressedKind;
      /** The other end of `serveSink`. */
      readonly sink: MessagePort;
      readonly choice: CodecChoice;
      /** Default: a hardware GPU if there is one. */
      readonly device?: 'cpu' | undefined;
      readonly tunings: KeptTunings;
    }
  | { readonly kind: 'cancel'; readonly job: number };

/** From the worker to the window. */
export type CompressMessage =
  | { readonly kind: 'progress'; readonly job: number; readonly progress: Progress }
  | { readonly kind: 'done'; readonly job: number; readonly report: CompressReport }
  | { readonly kind: 'fault'; readonly job: number; readonly fault: FaultData };
