/** Triangles with shared corners. Seen from outside, the corners of a triangle turn left. */
export interface Mesh {
  /** x, y and z of each corner. */
  readonly positions: Float32Array;
  /** Three numbers of corners for each triangle. */
  readonly triangles: Uint32Array;
}

/** A list of numbers that grows. */
export class GrowingList<T extends Float32Array | Uint32Array> {
  #numbers: T;
  #length = 0;
  readonly #make: (length: number) => T;

  constructor(make: (length: number) => T) {
    this.#make = make;
    this.#numbers = make(3072);
  }

  get length(): number {
    return this.#length;
  }

  push(a: number, b: number, c: number): void {
    this.#makeRoom(3);
    this.#numbers[this.#length++] = a;
    this.#numbers[this.#length++] = b;
    this.#numbers[this.#length++] = c;
  }

  append(numbers: T): void {
    this.#makeRoom(numbers.length);
    this.#numbers.set(numbers, this.#length);
    this.#length += numbers.length;
  }

  #makeRoom(count: number): void {
    if (this.#length + count <= this.#numbers.length) return;
    const larger = this.#make(Math.max(this.#numbers.length * 2, this.#length + count));
    larger.set(this.#numbers);
    this.#numbers = larger;
  }

  numbers(): T {
    return this.#numbers.subarray(0, this.#length) as T;
  }
}
