// SPEC.md, 'The range coder'. One coder at a time encodes or decodes.

let isDecoder: bool = false;
let low: u32 = 0;
let range: u32 = 0;
/** The next byte of the stream. A decoder is four bytes ahead. */
let at: usize = 0;
/** For a decoder: code − low, the stream's start, and the end of the readable bytes. */
let offset: u32 = 0;
let start: usize = 0;
let end: usize = 0;

export function startEncoder(to: usize): void {
  isDecoder = false;
  low = 0;
  range = u32.MAX_VALUE;
  start = to;
  at = to;
}

/** @param to end of the brick; zeros are read from there on */
export function startDecoder(from: usize, to: usize): void {
  isDecoder = true;
  low = 0;
  range = u32.MAX_VALUE;
  start = from;
  at = from;
  end = to;
  offset = 0;
  for (let i = 0; i < 4; i++) readByte();
}

/** Codes the answer to a question. @param chance of a yes @param answer only an encoder knows it @returns the answer */
export function ask(chance: u32, answer: bool): bool {
  const part = (range >> 12) * chance;
  const isYes = isDecoder ? offset < part : answer;
  if (isYes) {
    range = part;
  } else {
    low += part;
    range -= part;
    offset -= part;
  }
  while (isByteDone()) {
    if (isDecoder) readByte();
    else store<u8>(at++, low >> 24);
    low <<= 8;
    range <<= 8;
  }
  return isYes;
}

/** 'A byte is done if low and low + range have the same highest byte; or else if range < 2^16' */
function isByteDone(): bool {
  if ((low ^ (low + range)) >> 24 === 0) return true;
  if (range >= 1 << 16) return false;
  range = (1 << 16) - (low & 0xffff);
  return true;
}

function readByte(): void {
  offset <<= 8;
  if (at < end) offset |= load<u8>(at);
  at++;
}

/** The address of the next byte. */
export function streamAt(): usize {
  return at;
}

/** Ends an encoder's stream. @returns the stream's end */
export function closeEncoder(): usize {
  const count = closingCount();
  const unit = unitOf(count);
  const first = <u32>((<u64>low + unit - 1) & -unit);
  for (let i: u32 = 0; i < count; i++) store<u8>(at++, first >> (24 - 8 * i));
  return at;
}

/** Bytes of the stream that an encoder writes for a decoder's answers. */
export function decodedBytes(): u32 {
  return <u32>(at - start) - 4 + closingCount();
}

/** 'the fewest bytes, 1 to 4, such that all 32-bit numbers that begin with them … lie in the interval' */
function closingCount(): u32 {
  for (let count: u32 = 1; count < 4; count++) {
    const unit = unitOf(count);
    const first = (<u64>low + unit - 1) & -unit;
    if (first + unit <= <u64>low + range) return count;
  }
  return 4;
}

/** How many 32-bit numbers begin with the same `count` bytes. */
function unitOf(count: u32): u64 {
  return (<u64>1) << (32 - 8 * count);
}
