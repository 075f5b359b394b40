import type { Endian } from '../../shared/volume.ts';
import { type NiftiLayout, nifti1, nifti2 } from './nifti-layout.ts';

/** The parts of a NIfTI header that do not describe the volume's geometry. */
export interface NiftiExtras {
  /** `intent_code`. */
  readonly intent: number;
  readonly extensions: readonly { readonly code: number; readonly bytes: Uint8Array }[];
}

/** `NIFTI_INTENT_LABEL`: each number is the index of a label. */
export const labelIntent = 1002;

const mostExtensions = 1000;

/**
 * The intent and the extensions of a header of NIfTI-1 or NIfTI-2. Extensions after a broken one are left out.
 * @param before the file's bytes before its voxels
 */
export function niftiExtras(before: Uint8Array, endian: Endian): NiftiExtras | undefined {
  const isLittle = endian === 'little';
  const view = new DataView(before.buffer, before.byteOffset, before.byteLength);
  const layout = [nifti1, nifti2].find(({ headerBytes }) => isHeaderOf(view, headerBytes, isLittle));
  if (!layout) return undefined;
  return { intent: intentOf(view, layout, isLittle), extensions: [...extensionsOf(before, view, layout.headerBytes, isLittle)] };
}

function isHeaderOf(view: DataView, headerBytes: number, isLittle: boolean): boolean {
  return view.byteLength >= headerBytes && view.getInt32(0, isLittle) === headerBytes;
}

function intentOf(view: DataView, { intentAt, intentBytes }: NiftiLayout, isLittle: boolean): number {
  return intentBytes === 2 ? view.getInt16(intentAt, isLittle) : view.getInt32(intentAt, isLittle);
}

/** Four bytes after the header, the first of which is nonzero if there are extensions. Each extension begins with its length and code. */
function* extensionsOf(before: Uint8Array, view: DataView, headerBytes: number, isLittle: boolean) {
  if (before.byteLength < headerBytes + 4 || before[headerBytes] === 0) return;
  let at = headerBytes + 4;
  for (let count = 0; count < mostExtensions && at + 8 <= before.byteLength; count++) {
    const length = view.getInt32(at, isLittle);
    if (length < 8 || at + length > before.byteLength) return;
    yield { code: view.getInt32(at + 4, isLittle), bytes: before.subarray(at + 8, at + length) };
    at += length;
  }
}
