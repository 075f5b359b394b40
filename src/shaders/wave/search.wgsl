// Finds the token of a slot, in two reads. src/core/codecs/wave/SPEC.md, 'Tokens'. Twin: `searchTable` in src/core/codecs/wave/tables.ts.
// Only the first read is from workgroup memory. The other table would need so much of it that a GPU decodes fewer blocks at a time.

import constants::search_binding;

const table_count = 128u;
const group_count = 7u;

// For each level and phase an entry with the starts of tokens 4, 8 … 24, two per word, then an entry for each group of four tokens: for
// each one the start in the high half, the frequency in the low half. Tokens that do not exist start at 0xffff.
@group(0) @binding(search_binding) var<storage, read> entries: array<vec4u>;

// The first entries.
var<workgroup> wg_groups: array<vec3u, table_count>;

struct Token { number: u32, start: u32, frequency: u32 }

// Loads a part of the table into workgroup memory. A barrier must follow.
fn load_groups(thread: u32, threads: u32) {
  for (var table = thread; table < table_count; table += threads) { wg_groups[table] = entries[(group_count + 1u) * table].xyz; }
}

// Sets the highest bit of each half in which the slot is at least the start.
fn reached(slots: u32, starts: u32) -> u32 { return (slots - starts) & 0x80008000u; }

// Finds the group of four tokens, then the token in the group.
fn find_token(table: u32, slot: u32) -> Token {
  let slots = (slot * 0x10001u) | 0x80008000u;
  let groups = wg_groups[table];
  let group = countOneBits((reached(slots, groups.x) >> 2u) | (reached(slots, groups.y) >> 1u) | reached(slots, groups.z));
  let tokens = entries[(group_count + 1u) * table + 1u + group];
  // No token of the group that starts at the slot or before it is greater than this.
  let most = (slot << 16u) | 0xffffu;
  let is_second = tokens.y <= most;
  let is_third = tokens.z <= most;
  let is_fourth = tokens.w <= most;
  let token = select(select(select(tokens.x, tokens.y, is_second), tokens.z, is_third), tokens.w, is_fourth);
  return Token(4u * group + u32(is_second) + u32(is_third) + u32(is_fourth), token >> 16u, token & 0xffffu);
}
