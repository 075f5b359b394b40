/** Numbers from 0 to below 1, always the same ones for a seed (xorshift). */
export function randomNumbers(seed: number): () => number {
  let state = seed || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
