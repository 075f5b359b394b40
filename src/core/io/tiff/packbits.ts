/** The size of output pieces. */
const outputBytes = 2 ** 16;

/** TIFF 6.0, section 9. */
export async function* decodePackBits(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const output = new Uint8Array(outputBytes);
  let filled = 0;
  /** Literal bytes still to be copied. */
  let literal = 0;
  /** How often the next byte repeats. */
  let repeats = 0;
  for await (const bytes of input) {
    for (let at = 0; at < bytes.byteLength; ) {
      if (literal > 0) {
        const part = bytes.subarray(at, at + Math.min(literal, outputBytes - filled));
        output.set(part, filled);
        filled += part.byteLength;
        literal -= part.byteLength;
        at += part.byteLength;
      } else if (repeats > 0) {
        output.fill(bytes[at++] as number, filled, filled + repeats);
        filled += repeats;
        repeats = 0;
      } else {
        const head = bytes[at++] as number;
        if (head < 128) literal = head + 1;
        else if (head > 128) repeats = 257 - head;
      }
      if (filled > outputBytes - 128) {
        yield output.subarray(0, filled);
        filled = 0;
      }
    }
  }
  if (filled > 0) yield output.subarray(0, filled);
}
