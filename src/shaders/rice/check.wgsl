// Checks that find payloads which SPEC.md, 'Decoding', refuses, though they might decode to the right elements. Twin:
// `decodeBrick` in src/core/codecs/rice/brick.ts.

import package::bricks::packed::{bits, element_mask, low_bits, ones};
import package::faults::faults::raise;
import package::rice::brick::escape_quotient;
import package::rice::reader::{peek, reader_at};

// The number of each brick's chunk: `brick_count` words.
@if(checks) @group(0) @binding(4) var<storage, read> chunk_of_brick: array<u32>;

@if(checks) fn raise_for(brick: u32, is_fault: bool) { raise(chunk_of_brick[brick], is_fault); }
@else fn raise_for(brick: u32, is_fault: bool) {}

// The bits from `bit` to the suffixes are 'fewer than 32 bits', all 0.
@if(checks)
fn filling_fails(bit: u32, suffixes_bit: u32) -> bool {
  if (bit > suffixes_bit || suffixes_bit - bit > 31u) { return true; }
  return (peek(reader_at(bit)) & low_bits(suffixes_bit - bit)) != 0u;
}
@else fn filling_fails(bit: u32, suffixes_bit: u32) -> bool { return false; }

// Checks the quotients of a word of `count` elements before escapes replace them: no prefix has more than 15 zeros, no symbol is
// 2^w or more, and the escape bit is 1 exactly if there are escapes.
@if(checks)
fn quotients_fail(quotients: u32, count: u32, width: u32, has_escapes: bool) -> bool {
  if ((quotients & ~(escape_quotient * ones)) != 0u) { return true; }
  // The largest quotient that fits a lane.
  let most = element_mask >> width;
  if (((quotients + ones) & (16u * ones)) == 0u) { return (quotients & ~(most * ones)) != 0u; }
  var fails = !has_escapes;
  for (var lane = 0u; lane < count; lane++) {
    let quotient = (quotients >> (lane * bits)) & element_mask;
    fails = fails || (quotient != escape_quotient && quotient > most);
  }
  return fails;
}
@else fn quotients_fail(quotients: u32, count: u32, width: u32, has_escapes: bool) -> bool { return false; }
