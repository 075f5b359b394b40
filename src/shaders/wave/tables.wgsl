// The fixed tables of codes. src/core/codecs/wave/SPEC.md, 'Tokens' and 'Special values'. Twin: src/core/codecs/wave/tables.ts.

import constants::table_binding;

const token_words = 1728u;
const table_words = 2688u;

// Two numbers of 16 bits a word: for each level and phase the starts of the 26 tokens and their end, then the chances of flags.
@group(0) @binding(table_binding) var<storage, read> tables: array<u32>;

var<workgroup> wg_tables: array<u32, table_words>;

// A barrier must follow.
fn load_tables(lane: u32) {
  for (var i = lane; i < table_words; i += 64u) { wg_tables[i] = tables[i]; }
}

fn token_start(at: u32) -> u32 { return extractBits(wg_tables[at / 2u], 16u * (at % 2u), 16u); }
fn flag_chance(context: u32) -> u32 { return extractBits(wg_tables[token_words + context / 2u], 16u * (context % 2u), 16u); }
