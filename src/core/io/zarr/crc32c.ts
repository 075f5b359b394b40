/** CRC-32C (Castagnoli), RFC 3720, B.4, with a table for each byte value. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  return crc;
});

export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let at = 0; at < bytes.byteLength; at++) {
    crc = (crc >>> 8) ^ (table[(crc ^ (bytes[at] as number)) & 255] as number);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
