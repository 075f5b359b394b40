import { type CodecElementBytes, rowBytes } from '../../codec/codec.ts';
import type { PlacedBox, ResidentLayout } from './resident-layout.ts';

/** Where the rows of a resident volume lie in its boxes. A row is padded to whole words. */
export class ResidentRows {
  /** The bytes of a row in a box. */
  readonly rowBytes: number;
  readonly #layout: ResidentLayout;
  readonly #boxes: readonly PlacedBox[];

  constructor(layout: ResidentLayout, boxes: readonly PlacedBox[], elementBytes: CodecElementBytes) {
    this.rowBytes = rowBytes(layout.elementsX, elementBytes);
    this.#layout = layout;
    this.#boxes = boxes;
  }

  /** The box with a row of a plane, and the row's first byte in it. Both are counted in kept voxels. @param plane z + t × depth */
  at(row: number, plane: number): { readonly box: PlacedBox; readonly byteOffset: number } {
    const box = this.#boxes[this.#layout.boxIndexAt(row, plane)] as PlacedBox;
    const rowInBox = (plane - box.firstPlane) * box.rowCount + row - box.firstRow;
    return { box, byteOffset: rowInBox * this.rowBytes };
  }
}
