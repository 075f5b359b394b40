import { explicitBig, explicitLittle, implicitLittle, type TransferSyntax } from './transfer-syntax.ts';

/** Whether a file begins like DICOM: with a preamble, or directly with elements of group 2 or 8. */
export function isDicom(head: Uint8Array): boolean {
  return metaStartOf(head) !== undefined || dataSetGuess(head, 0) !== undefined;
}

/** The start of the meta information; undefined if there is none. */
export function metaStartOf(head: Uint8Array): number | undefined {
  const text = (at: number) => String.fromCharCode(...head.subarray(at, at + 4));
  if (text(128) === 'DICM') return 132;
  if (text(0) === 'DICM') return 4;
  // Group 2 without a preamble.
  if (head[0] === 2 && head[1] === 0 && head[3] === 0 && isVr(head, 4)) return 0;
  return undefined;
}

export function isVr(head: Uint8Array, at: number): boolean {
  const isLetter = (byte = 0) => byte >= 0x41 && byte <= 0x5a;
  return isLetter(head[at]) && isLetter(head[at + 1]);
}

/** Guesses the encoding of a data set without meta information from its first element. */
export function dataSetGuess(head: Uint8Array, at: number): TransferSyntax | undefined {
  const [group0, group1, element0 = 0, element1 = 0] = head.subarray(at, at + 4);
  const isLittle = group0 === 8 && group1 === 0 && element1 === 0;
  const isBig = group0 === 0 && group1 === 8 && element0 === 0;
  if (isVr(head, at + 4)) return isLittle ? explicitLittle : isBig ? explicitBig : undefined;
  if (!isLittle || element0 > 0x70 || head.byteLength < at + 8) return undefined;
  // The first elements of group 8 are short.
  return new DataView(head.buffer, head.byteOffset + at + 4, 4).getUint32(0, true) < 256 ? implicitLittle : undefined;
}
