/** Bytes that all threads of the process can reach. The type does not say so, because they are used like any other. */
export function sharedBytes(byteLength: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new SharedArrayBuffer(byteLength) as unknown as ArrayBuffer);
}

export function isShared({ buffer }: Uint8Array): boolean {
  return typeof SharedArrayBuffer !== 'undefined' && (buffer as ArrayBufferLike) instanceof SharedArrayBuffer;
}

/** Shared bytes for one user after another. */
export class FreeSharedBytes {
  #free: Uint8Array<ArrayBuffer>[] = [];

  /** @returns the bytes, with undefined contents, and a function that takes them back, once */
  take(byteLength: number): { readonly bytes: Uint8Array<ArrayBuffer>; readonly release: () => void } {
    const at = this.#free.findIndex((one) => one.byteLength >= byteLength);
    // What is too small now will be too small later.
    const [whole = sharedBytes(byteLength)] = at < 0 ? [] : this.#free.splice(at, 1);
    if (at < 0) this.#free = [];
    let isTaken = true;
    const release = () => {
      if (isTaken) this.#free.push(whole);
      isTaken = false;
    };
    return { bytes: whole.subarray(0, byteLength), release };
  }
}
