/** Bytes in memory shared by all threads of the process. The type does not show this, because they are used like any other bytes. */
export function sharedBytes(byteLength: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new SharedArrayBuffer(byteLength) as unknown as ArrayBuffer);
}

export function isShared({ buffer }: Uint8Array): boolean {
  return typeof SharedArrayBuffer !== 'undefined' && (buffer as ArrayBufferLike) instanceof SharedArrayBuffer;
}

/** A pool of shared bytes, lent to one user after another. */
export class FreeSharedBytes {
  #free: Uint8Array<ArrayBuffer>[] = [];

  /** @returns the bytes, with undefined contents, and a function that returns them to the pool; only its first call has an effect */
  take(byteLength: number): { readonly bytes: Uint8Array<ArrayBuffer>; readonly release: () => void } {
    const at = this.#free.findIndex((one) => one.byteLength >= byteLength);
    // A buffer that is too small now would be too small later, too.
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
