// Finds the token of a slot, in two reads of workgroup memory. src/core/codecs/wave/SPEC.md, 'Tokens'.

import package::wave::tables::token_start;

const table_count = 128u;
const table_length = 27u;
const quads = 7u;

// For each table, the starts of tokens 4, 8 … 24, two per word.
var<workgroup> wg_groups: array<vec3u, table_count>;
// For each table, the starts of all tokens, two per word, then their end and 0x7fff.
var<workgroup> wg_starts: array<u32, table_count * 2u * quads + 1u>;

struct Token { number: u32, start: u32, frequency: u32 }

fn padded_start(table: u32, token: u32) -> u32 {
  if (token >= table_length) { return 0x7fffu; }
  return token_start(table * table_length + token);
}

// Loads the tables into workgroup memory. A barrier must follow.
fn load_tokens(thread: u32, threads: u32) {
  for (var i = thread; i < table_count * 2u * quads; i += threads) {
    let table = i / (2u * quads);
    let token = 2u * (i % (2u * quads));
    wg_starts[i] = padded_start(table, token) | (padded_start(table, token + 1u) << 16u);
  }
  for (var table = thread; table < table_count; table += threads) {
    var groups = vec3u(0u);
    for (var i = 0u; i < 3u; i++) {
      groups[i] = padded_start(table, 8u * i + 4u) | (padded_start(table, 8u * i + 8u) << 16u);
    }
    wg_groups[table] = groups;
  }
}

// Sets the highest bit of each half in which the slot is at least the start.
fn reached(slots: u32, starts: u32) -> u32 { return (slots - starts) & 0x80008000u; }

// Finds the group of four tokens, then the token in the group.
fn find_token(table: u32, slot: u32) -> Token {
  let slots = (slot * 0x10001u) | 0x80008000u;
  let groups = wg_groups[table];
  let group = countOneBits((reached(slots, groups.x) >> 2u) | (reached(slots, groups.y) >> 1u) | reached(slots, groups.z));
  let at = (table * quads + group) * 2u;
  let starts = vec3u(wg_starts[at], wg_starts[at + 1u], wg_starts[at + 2u]);
  let second = reached(slots, starts.x) >> 31u;
  let others = reached(slots, starts.y);
  let third = (others >> 15u) & 1u;
  let fourth = others >> 31u;
  let lower = select(starts.x, starts.y, third == 1u);
  let is_odd = (second ^ third ^ fourth) == 1u;
  let start = select(lower & 0xffffu, lower >> 16u, is_odd);
  let end_word = select(starts.x, select(starts.y, starts.z, fourth == 1u), second == 1u);
  let end = select(end_word >> 16u, end_word & 0xffffu, is_odd);
  return Token(4u * group + second + third + fourth, start, end - start);
}
