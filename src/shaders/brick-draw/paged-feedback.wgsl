// The feedback of rays about bricks; see paged-rays.wgsl.

import package::brick_draw::paged::paged;

@group(0) @binding(9) var<storage, read_write> feedback: array<atomic<u32>>;

/// Records a miss of a brick. @param index of the brick in the table
fn paged_miss(index: u32) {
  let word = paged.asked_start + (index >> 5u);
  let bit = 1u << (index & 31u);
  if ((atomicLoad(&feedback[word]) & bit) != 0u || (atomicOr(&feedback[word], bit) & bit) != 0u) {
    return;
  }
  let at = atomicAdd(&feedback[0], 1u);
  if (at < paged.most_misses) {
    atomicStore(&feedback[1u + at], index);
  }
}

/// Records that a slot was used.
fn paged_use(slot: u32) {
  let word = paged.used_start + slot;
  if (atomicLoad(&feedback[word]) == 0u) {
    atomicOr(&feedback[word], 1u);
  }
}
