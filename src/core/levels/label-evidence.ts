import type { HalvingMethod } from '../shared/halving.ts';
import type { Dims3, VolumeInfo, VoxelArray } from '../shared/volume.ts';

/** Squares of 2 × 2 voxels that are not of one value: fewer say nothing. */
const fewestMixed = 256;
/** In a segmentation most squares have one value, and almost all others have two: they lie on the border of two labels. */
const leastUniform = 1 / 2;
const leastPairs = 7 / 8;
/** Many squares on a border have two voxels on each side. Squares around a single voxel, as in sparse images, do not. */
const leastHalved = 1 / 8;

/**
 * Decides whether a volume holds labels, from its voxels in their order. It looks at squares of 2 × 2 voxels of a plane until
 * enough of them are not of one value. So the decision depends on the first planes with content, and not on how they are cut.
 * Until then a volume counts as labels: what few mixed squares it has are halved without new values.
 */
export class LabelEvidence {
  #mixed = 0;
  #pairs = 0;
  #halved = 0;
  #uniform = 0;
  #decided: HalvingMethod | undefined;

  /** @param method undefined: what the voxels suggest */
  constructor({ type, slope, intercept, valueUnit, channels, windows }: VolumeInfo, method?: HalvingMethod) {
    const isScan = valueUnit !== undefined || slope !== 1 || intercept !== 0 || channels !== undefined || windows !== undefined;
    const isFloat = type === 'f32' || type === 'f64';
    this.#decided = isFloat ? 'mean' : (method ?? (isScan ? 'mean' : undefined));
  }

  get isDecided(): boolean {
    return this.#decided !== undefined;
  }

  get method(): HalvingMethod {
    return this.#decided ?? 'mode';
  }

  /** Knows from now on what another one has found. */
  adopt(other: LabelEvidence): void {
    this.#decided = other.#decided;
  }

  /** @param planes whole planes: the next ones of the volume, in order, and together in every run */
  add(planes: VoxelArray, [width, height, depth]: Dims3): void {
    for (let z = 0; z < depth && this.#decided === undefined; z++) {
      const mixedBefore = this.#mixed;
      for (let y = 0; y + 1 < height; y += 2) {
        const a = (z * height + y) * width;
        const b = a + width;
        if (isOneValue(planes, a, 2 * width)) {
          this.#uniform += width >>> 1;
          continue;
        }
        this.#addRows(planes, a, b, width);
      }
      if (this.#mixed >= fewestMixed && this.#mixed > mixedBefore) this.#decide();
    }
  }

  /** Adds two rows of a plane, `width` voxels each. As a function of its own it is compiled sooner than as a loop within `add`. */
  #addRows(voxels: VoxelArray, a: number, b: number, width: number): void {
    let uniform = 0;
    for (let x = 0; x + 1 < width; x += 2) {
      const first = voxels[a + x];
      const right = voxels[a + x + 1];
      const below = voxels[b + x];
      const last = voxels[b + x + 1];
      if (first === right && first === below && first === last) {
        uniform++;
        continue;
      }
      this.#mixed++;
      const other = first !== right ? right : first !== below ? below : last;
      const isPair = (below === first || below === other) && (last === first || last === other);
      if (isPair) this.#pairs++;
      if (isPair && Number(first === right) + Number(first === below) + Number(first === last) === 1) this.#halved++;
    }
    this.#uniform += uniform;
  }

  #decide(): void {
    const isLabels =
      this.#pairs >= leastPairs * this.#mixed &&
      this.#halved >= leastHalved * this.#pairs &&
      this.#uniform >= leastUniform * (this.#uniform + this.#mixed);
    this.#decided = isLabels ? 'mode' : 'mean';
  }
}

/** Whether consecutive voxels have one value; false also where they are not whole words. Most scans begin and end empty. */
function isOneValue(voxels: VoxelArray, first: number, count: number): boolean {
  const width = voxels.BYTES_PER_ELEMENT;
  const [start, length] = [voxels.byteOffset + first * width, count * width];
  if (width > 4 || start % 4 > 0 || length % 4 > 0) return false;
  const words = new Int32Array(voxels.buffer, start, length / 4);
  const word = words[0] as number;
  const turned = width === 4 ? word : (word << (8 * width)) | (word >>> (32 - 8 * width));
  if (word !== turned) return false;
  for (let at = 1; at < words.length; at++) if (words[at] !== word) return false;
  return true;
}
