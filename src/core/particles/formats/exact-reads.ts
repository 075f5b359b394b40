import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';

/** Exactly `length` bytes of a file. @throws StriaError `corrupt` if the file ends early, `not-readable`, `aborted` */
export async function readExactly(
  source: ByteSource,
  offset: number,
  length: number,
  { signal }: JobOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await source.read(offset, length, { signal });
  if (bytes.byteLength < length) {
    throw new StriaError('corrupt', `${source.name} ends at byte ${offset + bytes.byteLength}, inside its particles`);
  }
  return bytes;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
