import type { VolumeChoice } from './volume-choice.ts';

/**
 * What can go wrong, as a tag. Two exhaustive tables turn a tag into words for people: `cli/terminal/messages.ts` (text and exit
 * code) and `renderer/app/words/messages.ts` (message and what to do next). A new tag does not compile until both know it.
 */
export const faultTags = [
  /** The bytes are not what their format promises: truncated, flipped, contradictory. */
  'corrupt',
  /** Well-formed, but something that Stria does not read or write. The message names it. */
  'unsupported',
  /** The caller's input is wrong: dims that do not fit the file, an unknown option. */
  'invalid-input',
  /** There are several volumes, and the caller has to name one. `choices` lists them. */
  'several',
  /** A file is missing or may not be read. */
  'not-readable',
  /** The output cannot be written: disk full, no permission, target is a folder. */
  'not-writable',
  /** No `navigator.gpu`, or the `webgpu` package could not be loaded. */
  'no-webgpu',
  /** WebGPU is there, but it gave no adapter. */
  'no-adapter',
  /** The adapter is there, but a limit is too small for the work. */
  'limit-too-small',
  /** The GPU went away in the middle of the work. */
  'device-lost',
  /** A buffer or array could not be had. */
  'out-of-memory',
  /** The caller cancelled. Not a failure: show nothing, leave nothing behind. */
  'aborted',
  /** A broken promise inside Stria itself. */
  'internal',
] as const;

export type FaultTag = (typeof faultTags)[number];

interface FaultOptions {
  readonly cause?: unknown;
  readonly context?: readonly string[];
  readonly choices?: readonly VolumeChoice[] | undefined;
}

/** The one error type of the engine. Context is added on the way up with `inContext`. */
export class StriaError extends Error {
  readonly tag: FaultTag;
  /** Where it happened, outermost first: `['scan.stria', 'chunk 12', 'rle']`. */
  readonly context: readonly string[];
  /** The volumes to choose from: of tag `several`. */
  readonly choices: readonly VolumeChoice[] | undefined;

  constructor(tag: FaultTag, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StriaError';
    this.tag = tag;
    this.context = options.context ?? [];
    this.choices = options.choices;
  }

  /** `scan.stria, chunk 12, rle: the payload ends 3 bytes early` */
  get fullMessage(): string {
    return this.context.length === 0 ? this.message : `${this.context.join(', ')}: ${this.message}`;
  }
}

/** The same fault with `where` put in front of its context. Anything that is no StriaError becomes an `internal` one. */
export function inContext(where: string, error: unknown): StriaError {
  const fault = toStriaError(error);
  const { tag, message, choices } = fault;
  return new StriaError(tag, message, { cause: fault.cause ?? fault, context: [where, ...fault.context], choices });
}

/** Any thrown thing as a StriaError: an AbortError stays an abort, a RangeError of an allocation is `out-of-memory`. */
export function toStriaError(error: unknown): StriaError {
  if (error instanceof StriaError) return error;
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  const message = error instanceof Error ? error.message : String(error);
  if (name === 'AbortError') return new StriaError('aborted', 'cancelled', { cause: error });
  if (name === 'RangeError' && /alloc|array length|buffer/i.test(message)) {
    return new StriaError('out-of-memory', message, { cause: error });
  }
  return new StriaError('internal', message, { cause: error });
}

/** A fault as plain data, for messages between threads and processes. */
export interface FaultData {
  readonly tag: FaultTag;
  readonly message: string;
  readonly context: readonly string[];
  readonly choices?: readonly VolumeChoice[];
}

export function faultToData(error: unknown): FaultData {
  const { tag, message, context, choices } = toStriaError(error);
  return { tag, message, context, ...(choices && { choices }) };
}

export function faultFromData(data: FaultData): StriaError {
  return new StriaError(data.tag, data.message, { context: data.context, choices: data.choices });
}
