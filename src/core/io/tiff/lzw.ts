import { StriaError } from '../../shared/errors.ts';

/** The size of output pieces. */
const outputBytes = 2 ** 16;

const clearCode = 256;
const endCode = 257;
const maxCodes = 4096;

/**
 * TIFF 6.0, section 13: codes of 9 to 12 bits, high bits first, each for an earlier string plus one byte. A code's string is
 * written from its end through links to shorter strings, so it costs no memory except the table.
 */
export async function* decodeLzw(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const output = new Uint8Array(outputBytes);
  const prefixes = new Uint16Array(maxCodes);
  const lastBytes = new Uint8Array(maxCodes);
  const lengths = new Uint32Array(maxCodes).fill(1, 0, clearCode);
  for (let code = 0; code < clearCode; code++) lastBytes[code] = code;
  let next = endCode + 1;
  let width = 9;
  let previous = -1;
  let filled = 0;
  let bits = 0;
  let bitCount = 0;
  let start = -1;
  for await (const bytes of input) {
    for (let at = 0; at < bytes.byteLength; ) {
      // An old-style stream also begins with code 256, but with the low bits first.
      if (start < 0) start = bytes[at] as number;
      else if (start === 0 && (bytes[at] as number) & 1) throw oldLzw();
      else start = 256;
      bits = ((bits << 8) | (bytes[at++] as number)) & 0xffffff;
      bitCount += 8;
      if (bitCount < width) continue;
      bitCount -= width;
      const code = (bits >> bitCount) & ((1 << width) - 1);
      if (code === endCode) {
        if (filled > 0) yield output.subarray(0, filled);
        return;
      }
      if (code === clearCode) {
        next = endCode + 1;
        width = 9;
        previous = -1;
        continue;
      }
      // A code that is not in the table yet is valid only if it is the next one: its own use completes it.
      const isNew = code === next && previous >= 0;
      if (code >= next && !isNew) {
        // Damage after the last needed byte does not matter.
        if (filled > 0) yield output.subarray(0, filled);
        throw new StriaError('corrupt', `the LZW data is damaged: it uses code ${code} too early`);
      }
      const known = isNew ? previous : code;
      // A string has fewer bytes than there are codes.
      if (filled > outputBytes - maxCodes) {
        yield output.subarray(0, filled);
        filled = 0;
      }
      const end = filled + (lengths[known] as number);
      let link = known;
      for (let to = end - 1; to >= filled; to--) {
        output[to] = lastBytes[link] as number;
        link = prefixes[link] as number;
      }
      const first = output[filled] as number;
      if (isNew) output[end] = first;
      if (previous >= 0 && next < maxCodes) {
        prefixes[next] = previous;
        lastBytes[next] = first;
        lengths[next] = (lengths[previous] as number) + 1;
        next++;
        // The width grows one code early.
        if (next + 1 >= 1 << width && width < 12) width++;
      }
      previous = code;
      filled = isNew ? end + 1 : end;
    }
  }
  if (filled > 0) yield output.subarray(0, filled);
}

function oldLzw(): StriaError {
  return new StriaError('unsupported', 'Stria does not read TIFF with old-style LZW; save it again with a newer program');
}
