// The chances of flags in workgroup memory, for the decoder, which waits for each one. src/core/codecs/wave/SPEC.md, 'Special values'.

import package::wave::contexts::flag_contexts;
import package::wave::tables::flag_chance;

// For each context 4096 less the chance of a yes: for slice 0 in the low half, for later slices in the high half.
var<workgroup> wg_chances: array<u32, flag_contexts>;

// Loads the table. A barrier must follow.
fn load_chances(thread: u32, threads: u32) {
  for (var i = thread; i < flag_contexts; i += threads) {
    wg_chances[i] = (4096u - flag_chance(i)) | ((4096u - flag_chance(flag_contexts + i)) << 16u);
  }
}

// The chance of a no. @param context the result of `flag_context`
fn no_chance(context: u32, is_later: bool) -> u32 { return extractBits(wg_chances[context], select(0u, 16u, is_later), 16u); }
