// The least and the greatest number of a brick, found by all invocations of the workgroup that owns it (brick-ranges.wgsl,
// brick-numbers.wgsl).

import package::volume::voxel::{bits_of_key, voxel_key};

/// What an invocation has found: the least and the greatest key of its numbers, and whether it has met a missing voxel.
struct KeyRange {
  least: u32,
  greatest: u32,
  missing: u32,
}

var<workgroup> wg_least: atomic<u32>;
var<workgroup> wg_greatest: atomic<u32>;
var<workgroup> wg_missing: atomic<u32>;

const empty_range = KeyRange(0xffffffffu, 0u, 0u);

/// The range with one more number.
fn with_number(range: KeyRange, bits: u32) -> KeyRange {
  let key = voxel_key(bits);
  return KeyRange(min(range.least, key), max(range.greatest, key), range.missing);
}

/// The range with a missing voxel.
fn with_missing(range: KeyRange) -> KeyRange {
  return KeyRange(range.least, range.greatest, 1u);
}

/// Begins the reduction. All invocations must call it.
fn begin_ranges(thread: u32) {
  if (thread == 0u) {
    atomicStore(&wg_least, empty_range.least);
    atomicStore(&wg_greatest, empty_range.greatest);
    atomicStore(&wg_missing, empty_range.missing);
  }
  // The initial values are written before the reduction begins.
  workgroupBarrier();
}

/// Adds what an invocation has found. A barrier must follow before `whole_range`.
fn add_range(range: KeyRange) {
  atomicMin(&wg_least, range.least);
  atomicMax(&wg_greatest, range.greatest);
  atomicOr(&wg_missing, range.missing);
}

/// The bits of the brick's least and its greatest number; whether some voxels are missing; whether some are not.
fn whole_range() -> vec4u {
  let least = atomicLoad(&wg_least);
  let greatest = atomicLoad(&wg_greatest);
  return vec4u(bits_of_key(least), bits_of_key(greatest), atomicLoad(&wg_missing), select(0u, 1u, least <= greatest));
}
