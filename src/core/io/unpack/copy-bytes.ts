/** Shorter copies are faster byte by byte. */
const shortCopy = 24;

/** Copies `count` bytes from `from` in `bytes` to `to` in `content`. */
export function copyLiterals(bytes: Uint8Array, from: number, content: Uint8Array, to: number, count: number): void {
  if (count > shortCopy) content.set(bytes.subarray(from, from + count), to);
  else for (let index = 0; index < count; index++) content[to + index] = bytes[from + index] as number;
}

/** Repeats `count` bytes that are `distance` bytes before `to`. They may overlap what is written, and then repeat a pattern. */
export function copyMatch(content: Uint8Array, to: number, distance: number, count: number): void {
  if (distance === 1) content.fill(content[to - 1] as number, to, to + count);
  else if (count > shortCopy && distance >= count) content.copyWithin(to, to - distance, to - distance + count);
  else for (let index = to; index < to + count; index++) content[index] = content[index - distance] as number;
}
