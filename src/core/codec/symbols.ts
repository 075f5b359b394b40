/** 'Residuals 0, −1, 1, −2, 2 … are the symbols 0, 1, 2, 3, 4 …', of `bits` bits. */
export function toSymbol(residual: number, bits: 8 | 16): number {
  const signed = (residual << (32 - bits)) >> (32 - bits);
  return (signed << 1) ^ (signed >> 31);
}

/** The residual, modulo 2^16. */
export function fromSymbol(symbol: number): number {
  return ((symbol >>> 1) ^ -(symbol & 1)) & 0xffff;
}
