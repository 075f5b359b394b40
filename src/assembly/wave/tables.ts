// The fixed tables of src/core/codecs/wave/SPEC.md, arranged for decoding.

const tableCount: usize = 128;
const tokenCount: usize = 26;

/** For each table of a level and a phase: the token whose range contains each of 4096 numbers. */
export const tokens: usize = memory.data(128 * 4096, 16);
/** For each table, 32 entries: a token's frequency, and in the upper half its start. */
export const entries: usize = memory.data(128 * 32 * 4, 16);
/** The chances of flags, two bytes each. */
export let chances: usize = 0;
let isReady: bool = false;

/** @param fixed starts of tokens, 27 for each table, then the chances: two bytes each */
export function startTables(fixed: usize): void {
  chances = fixed + 2 * tableCount * (tokenCount + 1);
  if (isReady) return;
  isReady = true;
  for (let table: usize = 0; table < tableCount; table++) {
    for (let token: usize = 0; token < tokenCount; token++) {
      const starts = fixed + 2 * ((tokenCount + 1) * table + token);
      const start = <u32>load<u16>(starts);
      const frequency = <u32>load<u16>(starts, 2) - start;
      store<u32>(entries + 4 * (32 * table + token), (start << 16) | frequency);
      memory.fill(tokens + 4096 * table + start, <u8>token, frequency);
    }
  }
}
