import { useLent } from '../shared/lent-parts.ts';

/** Memory that CPU and GPU share. The bytes must not be used after `release`, which can be called more than once. */
export interface LentBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  release(): void;
  /** Why using the bytes failed: the device was lost, and the bytes with it, or else the given error. */
  causeOf?(error: unknown): Promise<unknown>;
}

/** Takes what is needed from lent bytes, and releases them. @throws StriaError `device-lost`; otherwise as `take` */
export async function takeLent({ bytes, release }: LentBytes, take: (bytes: Uint8Array<ArrayBuffer>) => void): Promise<void> {
  const taking = async () => {
    await useLent([bytes], async () => take(bytes));
  };
  await taking().finally(release);
}

/** A byte length rounded up to words, as WebGPU copies and maps. */
export function wholeWords(byteLength: number): number {
  return Math.max(4, Math.ceil(byteLength / 4) * 4);
}
