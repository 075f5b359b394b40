/** Four tables of 256 entries: entry i of table n is the CRC of byte i followed by n zero bytes. */
const crcTables = makeCrcTables();

function makeCrcTables(): Uint32Array {
  const tables = new Uint32Array(4 * 256);
  for (let index = 0; index < 256; index++) {
    let crc = index;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    tables[index] = crc;
  }
  for (let index = 256; index < tables.length; index++) {
    const shorter = tables[index - 256] as number;
    tables[index] = (shorter >>> 8) ^ (tables[shorter & 255] as number);
  }
  return tables;
}

/** CRC-32 as in RFC 1952, four bytes at a time. @param crc of the preceding bytes, 0 at the start */
export function crc32(bytes: Uint8Array, crc = 0): number {
  const table = (index: number) => crcTables[index] as number;
  let state = ~crc;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    state ^=
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    state =
      table(768 + (state & 255)) ^ table(512 + ((state >>> 8) & 255)) ^ table(256 + ((state >>> 16) & 255)) ^ table(state >>> 24);
  }
  for (; at < bytes.length; at++) state = (state >>> 8) ^ table((state ^ (bytes[at] as number)) & 255);
  return ~state >>> 0;
}
