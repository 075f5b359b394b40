/** Memory that CPU and GPU share. The bytes must not be used after `release`, which can be called more than once. */
export interface LentBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  release(): void;
  /** What made a use of the bytes fail: the loss of the device, which takes the bytes away, or else the given error. */
  causeOf?(error: unknown): Promise<unknown>;
}

/** A byte length rounded up to words, as WebGPU copies and maps. */
export function wholeWords(byteLength: number): number {
  return Math.max(4, Math.ceil(byteLength / 4) * 4);
}
