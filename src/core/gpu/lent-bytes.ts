/** Memory that CPU and GPU share. The bytes must not be used after `release`, which can be called more than once. */
export interface LentBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  release(): void;
  /** Why using the bytes failed: the device was lost, and the bytes with it, or else the given error. */
  causeOf?(error: unknown): Promise<unknown>;
}

/** A byte length rounded up to words, as WebGPU copies and maps. */
export function wholeWords(byteLength: number): number {
  return Math.max(4, Math.ceil(byteLength / 4) * 4);
}
