// How places.wgsl finds units in an encoder: from what measure.wgsl chose. payload.wgsl is its counterpart for decoders.

import package::predict::brick::{Chunk, flat_mark};

@group(0) @binding(4) var<storage, read> headers: array<u32>;
@group(0) @binding(5) var<storage, read> classes: array<u32>;

fn is_unit_flat(chunk: Chunk, place: u32, unit: u32) -> bool { return (headers[unit] & 15u) == flat_mark; }

// An encoder has nothing to check.
fn predictors_fail(chunk: Chunk, brick: u32, plane: u32) -> bool { return false; }
fn ends_wrong(chunk: Chunk, end: u32) -> bool { return false; }

// One word of a unit's classes. `at`: the first word of the unit's classes in the section.
fn class_word(chunk: Chunk, at: u32, unit: u32, word: u32) -> u32 { return classes[8u * unit + word]; }
