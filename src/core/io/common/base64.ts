const digits = new Int16Array(256).fill(-1);
for (const [value, letter] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) {
  digits[letter.charCodeAt(0)] = value;
}

/** Decodes base64 that arrives in pieces, up to its padding or a tag. Skips spaces and line ends. */
export class Base64Decoder {
  #bits = 0;
  #count = 0;
  #isOver = false;

  /** Whether the end was found. What follows it is ignored. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** @returns the bytes that are whole, or undefined if the text is not base64 */
  decode(piece: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
    const bytes = new Uint8Array(Math.ceil((piece.byteLength * 3) / 4) + 3);
    let length = 0;
    for (const letter of piece) {
      if (this.#isOver) break;
      const value = digits[letter] as number;
      if (value < 0) {
        if (letter === 0x20 || (letter >= 9 && letter <= 13)) continue;
        if (letter !== 0x3d && letter !== 0x3c) return undefined;
        const rest = this.finish();
        bytes.set(rest, length);
        length += rest.byteLength;
        break;
      }
      this.#bits = ((this.#bits << 6) | value) & 0xffffff;
      if (++this.#count % 4 === 0) {
        bytes[length++] = this.#bits >> 16;
        bytes[length++] = (this.#bits >> 8) & 255;
        bytes[length++] = this.#bits & 255;
      }
    }
    return bytes.slice(0, length);
  }

  /** The bytes of the last letters: two letters encode one byte, three encode two. */
  finish(): Uint8Array<ArrayBuffer> {
    if (this.#isOver) return new Uint8Array(0);
    this.#isOver = true;
    if (this.#count % 4 === 2) return Uint8Array.of((this.#bits >> 4) & 255);
    if (this.#count % 4 === 3) return Uint8Array.of((this.#bits >> 10) & 255, (this.#bits >> 2) & 255);
    return new Uint8Array(0);
  }
}

/** The bytes of a whole base64 text, or undefined if it is none. */
export function base64Bytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  const decoder = new Base64Decoder();
  const bytes = decoder.decode(new TextEncoder().encode(text));
  if (!bytes) return undefined;
  const rest = decoder.finish();
  if (rest.byteLength === 0) return bytes;
  const whole = new Uint8Array(bytes.byteLength + rest.byteLength);
  whole.set(bytes);
  whole.set(rest, bytes.byteLength);
  return whole;
}
