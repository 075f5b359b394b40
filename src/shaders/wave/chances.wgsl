// The chances of flags in workgroup memory, for the decoder, which waits for each one. src/core/codecs/wave/SPEC.md, 'Special values'.

import package::wave::tables::chance_pair;

const pairs = 960u;

var<workgroup> wg_chances: array<u32, pairs>;

// Loads the table. A barrier must follow.
fn load_chances(thread: u32, threads: u32) {
  for (var i = thread; i < pairs; i += threads) { wg_chances[i] = chance_pair(i); }
}

// The chance of a no, of 4096. @param context the result of `flag_context`
fn no_chance(context: u32) -> u32 { return 4096u - ((wg_chances[context / 2u] >> (16u * (context & 1u))) & 0xffffu); }
