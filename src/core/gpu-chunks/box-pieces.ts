/**
 * Bytes of a piece. Memory that CPU and GPU share costs about 1.3 ms per MiB at its first use: it is allocated and cleared, and the
 * system maps its pages. So boxes come and go in pieces, through few buffers that are used again and again.
 */
export const standardPieceBytes = 2 ** 24;

export interface BoxPiece {
  /** Its first byte in the box, a multiple of 8, so that a piece begins with a whole voxel. */
  readonly at: number;
  readonly length: number;
}

/** Cuts a box into pieces of about equal length. @param most bytes of a piece, a multiple of 8 */
export function piecesOf(byteLength: number, most: number): BoxPiece[] {
  const count = Math.ceil(byteLength / most);
  const length = 8 * Math.ceil(byteLength / count / 8);
  return Array.from({ length: count }, (_, index) => {
    const at = index * length;
    return { at, length: Math.min(length, byteLength - at) };
  });
}
