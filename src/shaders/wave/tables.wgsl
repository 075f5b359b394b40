// The fixed tables of codes. src/core/codecs/wave/SPEC.md, 'Tokens' and 'Special values'. Twin: src/core/codecs/wave/tables.ts.

import constants::table_binding;

const token_words = 1728u;

// Two 16-bit numbers per word: for each level and phase, the starts of the 26 tokens and their end; then the chances of flags.
@group(0) @binding(table_binding) var<storage, read> tables: array<u32>;

fn token_start(at: u32) -> u32 { return extractBits(tables[at / 2u], 16u * (at % 2u), 16u); }
fn flag_chance(context: u32) -> u32 { return extractBits(chance_pair(context / 2u), 16u * (context % 2u), 16u); }
// The chances of two contexts.
fn chance_pair(at: u32) -> u32 { return tables[token_words + at]; }
