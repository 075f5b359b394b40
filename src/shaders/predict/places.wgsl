// Finds where each unit's parts lie in the sections, and where the sections start. src/core/codecs/predict/SPEC.md, 'Payload'.
// Algorithm: 64 units at a time count their words, one invocation each. Then one invocation per section scans its counts, on top
// of the units before.
// One workgroup owns a chunk. Dispatch: one workgroup per chunk, spread over x and y.
// Invariants:
// 1. No class counts as more than the highest, whatever a damaged payload says, so places fit 32 bits.
// Twin: `readPlan` in src/core/codecs/predict/reference.ts.

import package::bricks::packed::{Box, picture, planes};
import package::faults::faults::raise;
import package::predict::brick::{
  Chunk, brick_shape, bricks_of, class_count, first_block_place, fixed_words, group_shape, head_words, origin_of, section_count,
  size_of, tail_words, threads,
};
@if(decodes) import package::predict::payload::{class_word, ends_wrong, is_unit_flat, predictors_fail};
@else import package::predict::records::{class_word, ends_wrong, is_unit_flat, predictors_fail};

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// For each unit `section_count` words: where its parts start, in words from their section's start.
@group(0) @binding(2) var<storage, read_write> places: array<u32>;
// For each chunk `section_count + 3` words: where its sections start, in words from the payload's start, and its end.
@group(0) @binding(3) var<storage, read_write> starts: array<u32>;
// For each chunk the bytes of its `section_count + 2` sections.
@if(!decodes) @group(0) @binding(6) var<storage, read_write> lengths: array<u32>;

const pitch = threads + 1u;
// Words of each unit in each section, later the words of all units before it.
var<workgroup> wg_counts: array<u32, section_count * pitch>;
// Words of all units so far in each section.
var<workgroup> wg_totals: array<u32, section_count>;

fn scan_section(section: u32) {
  var before = wg_totals[section];
  for (var i = section * pitch; i < section * pitch + threads; i++) {
    let count = wg_counts[i];
    wg_counts[i] = before;
    before += count;
  }
  wg_totals[section] = before;
}

// Adds up the words of a unit's groups in wg_counts. `number`: of the chunk.
fn count_groups(number: u32, chunk: Chunk, extent: vec3u, at: u32, unit: u32, thread: u32) {
  let groups = (extent + group_shape() - 1u) / group_shape();
  var index = 0u;
  var word = 0u;
  for (var z = 0u; z < groups.z; z++) {
    for (var y = 0u; y < groups.y; y++) {
      for (var x = 0u; x < groups.x; x++) {
        if (index % 8u == 0u) { word = class_word(chunk, at, unit, index / 8u); }
        let named_class = (word >> (4u * (index % 8u))) & 15u;
        let group_class = min(named_class, class_count);
        raise(number, named_class > class_count);
        if (group_class > 0u) {
          let size = size_of(extent, vec3u(x, y, z) * group_shape());
          let count = size.x * size.y * size.z;
          wg_counts[pitch + thread] += tail_words(group_class, count);
          wg_counts[(1u + group_class) * pitch + thread] += head_words(group_class, count);
        }
        index++;
      }
    }
  }
  // 'then zero bits up to a whole word'
  if (index % 8u != 0u) { raise(number, word >> (4u * (index % 8u)) != 0u); }
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = workgroup.x + workgroup.y * workgroups.x;
  if (number >= box.chunk_count) { return; }
  let chunk = chunks[number];
  if (chunk.mode % 16u != picture) { return; }
  let bricks = bricks_of(chunk);
  let first_unit = planes * chunk.first_brick;
  let unit_count = planes * bricks.x * bricks.y * bricks.z;
  for (var first = 0u; first < unit_count; first += threads) {
    let unit = first_unit + first + thread;
    let is_there = first + thread < unit_count;
    var extent = vec3u(0u);
    if (is_there) {
      let brick = (first + thread) / planes;
      if (!is_unit_flat(chunk, first_block_place(chunk, brick, unit % planes), unit)) {
        extent = min(brick_shape(), chunk.shape - origin_of(chunk, brick));
      }
      raise(number, predictors_fail(chunk, brick, unit % planes));
    }
    let groups = (extent + group_shape() - 1u) / group_shape();
    wg_counts[thread] = (groups.x * groups.y * groups.z + 7u) / 8u;
    for (var section = 1u; section < section_count; section++) { wg_counts[section * pitch + thread] = 0u; }
    workgroupBarrier(); // the words of classes are counted
    if (thread == 0u) { scan_section(0u); }
    workgroupBarrier(); // the classes' places are stored
    count_groups(number, chunk, extent, wg_counts[thread], unit, thread);
    workgroupBarrier(); // the other sections' words are counted
    if (thread > 0u && thread < section_count) { scan_section(thread); }
    workgroupBarrier(); // all places are stored
    if (is_there) {
      for (var section = 0u; section < section_count; section++) {
        places[section_count * unit + section] = wg_counts[section * pitch + thread];
      }
    }
    workgroupBarrier(); // the places are stored before the next units overwrite them
  }
  if (thread == 0u) {
    let fixed = fixed_words(chunk);
    let first = (section_count + 3u) * number;
    starts[first] = 0u;
    starts[first + 1u] = fixed.x;
    var start = fixed.x + fixed.y;
    for (var section = 0u; section < section_count; section++) {
      starts[first + 2u + section] = start;
      start += wg_totals[section];
    }
    starts[first + 2u + section_count] = start;
    @if(!decodes) {
      let own = (section_count + 2u) * number;
      lengths[own] = 4u * fixed.x;
      lengths[own + 1u] = 4u * fixed.y;
      for (var section = 0u; section < section_count; section++) { lengths[own + 2u + section] = 4u * wg_totals[section]; }
    }
    raise(number, ends_wrong(chunk, start));
  }
}
