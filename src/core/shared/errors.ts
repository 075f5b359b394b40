import type { VolumeChoice } from './volume-choice.ts';

/**
 * The kinds of faults. Two exhaustive tables give each a text: `cli/terminal/messages.ts` (text and exit code) and
 * `renderer/app/words/messages.ts` (message and what to do next). A new tag does not compile until both have it.
 */
export const faultTags = [
  /** The bytes violate their format: truncated, flipped, contradictory. */
  'corrupt',
  /** Valid, but something that Stria does not read or write. The message names it. */
  'unsupported',
  /** The caller's input is wrong: dims that do not match the file, an unknown option. */
  'invalid-input',
  /** There are several volumes, and the caller must name one. `choices` lists them. */
  'several',
  /** A file is missing or unreadable. */
  'not-readable',
  /** The output cannot be written: the disk is full, permission is missing, the target is a folder. */
  'not-writable',
  /** No `navigator.gpu`, or the `webgpu` package could not be loaded. */
  'no-webgpu',
  /** WebGPU is available, but returned no adapter. */
  'no-adapter',
  /** There is an adapter, but one of its limits is too small for the work. */
  'limit-too-small',
  /** The GPU was lost during the work. */
  'device-lost',
  /** A buffer or array could not be allocated. */
  'out-of-memory',
  /** The caller cancelled. This is not a failure: show nothing, leave nothing behind. */
  'aborted',
  /** A broken invariant in Stria itself. */
  'internal',
] as const;

export type FaultTag = (typeof faultTags)[number];

interface FaultOptions {
  readonly cause?: unknown;
  readonly context?: readonly string[];
  readonly choices?: readonly VolumeChoice[] | undefined;
  readonly missing?: readonly string[] | undefined;
}

/** The only error type of the engine. `inContext` adds context on the way up. */
export class StriaError extends Error {
  readonly tag: FaultTag;
  /** Where it happened, outermost first: `['scan.stria', 'chunk 12', 'rle']`. */
  readonly context: readonly string[];
  /** The volumes to choose from, for the tag `several`. */
  readonly choices: readonly VolumeChoice[] | undefined;
  /** For the tag `not-readable`: acceptable names of a missing file that belongs to the opened one. */
  readonly missing: readonly string[] | undefined;

  constructor(tag: FaultTag, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StriaError';
    this.tag = tag;
    this.context = options.context ?? [];
    this.choices = options.choices;
    this.missing = options.missing;
  }

  /** `scan.stria, chunk 12, rle: the payload ends 3 bytes early` */
  get fullMessage(): string {
    return this.context.length === 0 ? this.message : `${this.context.join(', ')}: ${this.message}`;
  }
}

/** The same fault with `where` prepended to its context, unless its message begins with it. Any other error becomes an `internal` fault. */
export function inContext(where: string, error: unknown): StriaError {
  const fault = toStriaError(error);
  const { tag, message, choices, missing } = fault;
  if (fault.context.length === 0 && message.startsWith(`${where}: `)) return fault;
  return new StriaError(tag, message, { cause: fault.cause ?? fault, context: [where, ...fault.context], choices, missing });
}

/** Converts anything thrown into a StriaError: an AbortError stays an abort, an allocation's RangeError becomes `out-of-memory`. */
export function toStriaError(error: unknown): StriaError {
  if (error instanceof StriaError) return error;
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  const message = error instanceof Error ? error.message : String(error);
  if (name === 'AbortError') return new StriaError('aborted', 'cancelled', { cause: error });
  if (name === 'RangeError' && /alloc|array length|buffer|memory/i.test(message)) {
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
  readonly missing?: readonly string[];
}

export function faultToData(error: unknown): FaultData {
  const { tag, message, context, choices, missing } = toStriaError(error);
  return { tag, message, context, ...(choices && { choices }), ...(missing && { missing }) };
}

export function faultFromData(data: FaultData): StriaError {
  const { tag, message, ...more } = data;
  return new StriaError(tag, message, more);
}
