// What an encoder knows of a part before it is placed: its length, its header, and where its lanes are.

import package::wave::layout::lane_count;

const header_words = 64u;

struct Finished {
  kind: u32,
  byte_length: u32,
  start: u32, // byte of the payload
  header_bytes: u32,
  header: array<u32, header_words>,
  // The part's bytes where its lanes start. Those after the last one start where it ends.
  lanes: array<u32, lane_count>,
}
