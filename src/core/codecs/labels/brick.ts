import { readElement } from '../../codec/batch.ts';
import type { CodecElementBytes } from '../../codec/codec.ts';
import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { RangeDecoder, RangeEncoder } from './range-coder.ts';
import { chanceOne } from './tables.ts';
import { maxLabels, placeOf, type WalkPartner, walkBrick } from './walk.ts';

const even = chanceOne / 2;

/** A brick's extent and its elements, x fastest. */
export interface BrickElements {
  readonly elements: Uint32Array;
  readonly extent: Dims3;
}

/** The encoding of a brick: SPEC.md, 'A coded brick'. Undefined if that would be no shorter than its elements. */
export function encodeBrick({ elements, extent }: BrickElements, elementBytes: CodecElementBytes): Uint8Array | undefined {
  const encoder = new BrickEncoder(elements, extent);
  walkBrick(extent, encoder);
  if (encoder.labels.length > maxLabels) return undefined;
  const stream = encoder.close();
  // 'The stream of the range coder, then the brick's labels, E bytes each, the last one first.'
  const brick = new Uint8Array(stream.length + encoder.labels.length * elementBytes);
  brick.set(stream);
  for (const [index, label] of encoder.labels.entries()) {
    const at = brick.length - (index + 1) * elementBytes;
    for (let byte = 0; byte < elementBytes; byte++) brick[at + byte] = label >>> (8 * byte);
  }
  return brick.length < elements.length * elementBytes ? brick : undefined;
}

/** @throws StriaError `corrupt` */
export function decodeBrick(brick: Uint8Array, extent: Dims3, elementBytes: CodecElementBytes): Uint32Array {
  const decoder = new BrickDecoder(brick, elementBytes);
  const indices = walkBrick(extent, decoder);
  decoder.checkLength();
  const elements = new Uint32Array(extent[0] * extent[1] * extent[2]);
  let i = 0;
  for (let z = 0; z < extent[2]; z++) {
    for (let y = 0; y < extent[1]; y++) {
      const start = placeOf(0, y, z);
      for (let at = start; at < start + extent[0]; at++) elements[i++] = decoder.labels[indices[at] as number] as number;
    }
  }
  return elements;
}

class BrickEncoder implements WalkPartner {
  /** In the order of their first appearance. Once there are more than `maxLabels`, the rest does not matter. */
  readonly labels: number[] = [];
  readonly #elements: Uint32Array;
  readonly #extent: Dims3;
  readonly #coder = new RangeEncoder();
  #element = 0;

  constructor(elements: Uint32Array, extent: Dims3) {
    this.#elements = elements;
    this.#extent = extent;
  }

  close(): readonly number[] {
    this.#coder.close();
    return this.#coder.bytes;
  }

  rowDiffers(label: number, chance: number, y: number, z: number): boolean {
    const [x, height] = this.#extent;
    const start = (z * height + y) * x;
    return this.#code(
      chance,
      this.#elements.subarray(start, start + x).some((element) => element !== this.labels[label]),
    );
  }

  enter(x: number, y: number, z: number): void {
    const [width, height] = this.#extent;
    this.#element = this.#elements[(z * height + y) * width + x] as number;
  }

  differs(label: number, chance: number): boolean {
    return this.#code(chance, this.#element !== this.labels[label]);
  }

  isNew(chance: number | undefined): boolean {
    return chance === undefined || this.#code(chance, !this.labels.includes(this.#element));
  }

  addLabel(): void {
    this.labels.push(this.#element);
  }

  knownLabel(labelCount: number): number {
    const label = this.labels.indexOf(this.#element);
    for (let bit = 0; bit < indexBits(labelCount); bit++) this.#code(even, (label >> bit) % 2 === 1);
    return label;
  }

  #code(chance: number, event: boolean): boolean {
    this.#coder.encode(chance, event);
    return event;
  }
}

class BrickDecoder implements WalkPartner {
  readonly labels: number[] = [];
  readonly #brick: Uint8Array;
  readonly #elementBytes: CodecElementBytes;
  readonly #coder: RangeDecoder;

  constructor(brick: Uint8Array, elementBytes: CodecElementBytes) {
    this.#brick = brick;
    this.#elementBytes = elementBytes;
    this.#coder = new RangeDecoder(brick);
  }

  rowDiffers(_label: number, chance: number): boolean {
    return this.#coder.decode(chance);
  }

  enter(): void {}

  differs(_label: number, chance: number): boolean {
    return this.#coder.decode(chance);
  }

  isNew(chance: number | undefined): boolean {
    return chance === undefined || this.#coder.decode(chance);
  }

  addLabel(labelCount: number): void {
    const at = this.#brick.length - (labelCount + 1) * this.#elementBytes;
    if (at < 0 || labelCount === maxLabels) throw new StriaError('corrupt', `a labels brick has more than ${labelCount} labels`);
    this.labels.push(readElement(this.#brick, at, this.#elementBytes));
  }

  knownLabel(labelCount: number): number {
    let label = 0;
    for (let bit = 0; bit < indexBits(labelCount); bit++) label += Number(this.#coder.decode(even)) << bit;
    if (label < labelCount) return label;
    throw new StriaError('corrupt', `a labels brick refers to label ${label} of ${labelCount}`);
  }

  checkLength(): void {
    const expected = this.#coder.byteLength + this.labels.length * this.#elementBytes;
    if (this.#brick.length === expected) return;
    throw new StriaError('corrupt', `a labels brick has ${this.#brick.length} bytes; its elements take ${expected}`);
  }
}

/** 'It has as many bits as the largest number met so far has binary digits' */
function indexBits(labelCount: number): number {
  return 32 - Math.clz32(labelCount - 1);
}
