// Writes each brick's elements into a box. src/core/codecs/rice/SPEC.md, 'Decoding'.
// Algorithm: the workgroup loads the brick's code into workgroup memory. All prefixes are stored together, each ending in a one
// bit. A scan over counts of ones finds where each part's prefixes start, because a part has a known number of elements. A scan
// over suffix widths finds where its suffixes start, because the suffixes end with the brick. So the format needs no table of
// offsets. Each invocation then decodes its part: it transposes bit planes into suffixes and walks the prefixes. The residuals
// replace the code in workgroup memory, and the predictors' sums run over packed words. Bricks whose symbols are all 0 skip all
// of this.
// One invocation owns one part of a group, then lines, then words. One workgroup owns a brick, plane by plane.
// Dispatch: one workgroup per brick, spread over x and y.
// Invariants:
// 1. Each word of `voxels` belongs to one brick, because bricks start at whole words, and one invocation writes it. Of an element
//    of 4 bytes it writes first the low half, then the high half.
// 2. Bytes past the chunk's end in a row's last word keep their values.
// 3. The brick's size bounds every loop, so damage only gives wrong voxels. Bits past a brick's end mean nothing.
// Twin: `decodeBrick` in src/core/codecs/rice/brick.ts.

import package::bricks::memory::{load_word, store_word};
import package::bricks::packed::{Box, bits, element_mask, lanes, low_bits, ones, packed_add, packed_residuals, planes};
import package::bricks::sums::{sum_block, sum_of};
import package::faults::faults::checks;
import package::rice::brick::{
  Place, block_header, block_x, block_y, blocks, blocks_in, blocks_x, clipped, escape_quotient, extent_of, is_inside, is_mine,
  lanes_inside, memory_words, part_words, place_of, predictor_bits, raw_code, shared_word, starts_block, threads, word_at, word_of,
};
@if(causal) import package::rice::brick::{brick_z, sum_predictors};
import package::rice::check::{filling_fails, quotients_fail, raise_for};
@if(causal) import package::rice::front::reconstruct_front;
import package::rice::prefixes::{Prefixes, bit_behind, count_escapes, count_ones, mark_ones, share_of};
import package::rice::reader::{Block, Coded, Reader, bits_at, peek, reader_at, skip};
import package::rice::scan::scan;
import package::rice::suffixes::suffixes_of;

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> payloads: array<u32>;
// From locate.wgsl.
@group(0) @binding(2) var<storage, read> spans: array<vec4u>;
@group(0) @binding(3) var<storage, read_write> voxels: array<u32>;

// The exponent field of a power of two as a float. Faster on GPUs than counting the zeros below a one.
fn exponent_of(one: u32) -> u32 { return bitcast<u32>(f32(one)); }

// The quotients of a word of `count` elements, two prefixes at a time: two have at most 32 bits.
fn quotients_by_pairs(prefixes: ptr<function, Reader>, count: u32) -> u32 {
  var quotients = 0u;
  for (var pair = 0u; pair < min(count, lanes); pair += 2u) {
    let window = reverseBits(peek(*prefixes));
    let first = countLeadingZeros(window);
    var second = 0u;
    var bit_count = first + 1u;
    if (pair + 1u < count) {
      second = countLeadingZeros(window << bit_count);
      bit_count += second + 1u;
    }
    skip(prefixes, min(bit_count, 32u));
    quotients |= (first | (second << bits)) << (pair * bits);
  }
  return quotients;
}

// The quotients of a word of `count` elements, all four prefixes at a time if they have at most 32 bits.
fn quotients_of(prefixes: ptr<function, Reader>, count: u32) -> u32 {
  let first_end = peek(*prefixes);
  let second_end = first_end & (first_end - 1u);
  let third_end = second_end & (second_end - 1u);
  let last_end = third_end & (third_end - 1u);
  if (lanes != 4u || count != 4u || last_end == 0u) { return quotients_by_pairs(prefixes, count); }
  // The exponents of the prefixes' last bits, biased by 127, one per byte.
  let last = exponent_of(last_end & (0u - last_end));
  let ends = (exponent_of(first_end ^ second_end) >> 23u)
    | (exponent_of(second_end ^ third_end) >> 15u)
    | (exponent_of(third_end ^ last_end) >> 7u)
    | (last << 1u);
  skip(prefixes, (last >> 23u) - 126u);
  // Subtracts from each exponent the one before it and 1, and from the first 127.
  return ends - (ends << 8u) - 0x0101017fu;
}

// Decodes a part into residuals, word by word; elements outside the chunk are 0. `brick`: the brick whose chunk a fault flags.
fn expand_part(place: Place, coded: Coded, brick: u32) -> array<u32, part_words> {
  var residuals = array<u32, part_words>();
  for (var eighth = 0u; eighth < part_words / 8u; eighth++) {
    let suffixes = suffixes_of(place, coded, eighth);
    residuals[8u * eighth] = suffixes.low.x;
    residuals[8u * eighth + 1u] = suffixes.low.y;
    residuals[8u * eighth + 2u] = suffixes.low.z;
    residuals[8u * eighth + 3u] = suffixes.low.w;
    residuals[8u * eighth + 4u] = suffixes.high.x;
    residuals[8u * eighth + 5u] = suffixes.high.y;
    residuals[8u * eighth + 6u] = suffixes.high.z;
    residuals[8u * eighth + 7u] = suffixes.high.w;
  }
  var prefixes = reader_at(coded.prefixes);
  var escapes = coded.escapes;
  let width = coded.width;
  for (var i = 0u; i < part_words; i++) {
    let count = word_of(place, i).count;
    var symbols = residuals[i];
    if (coded.is_rice) {
      let quotients = quotients_of(&prefixes, count);
      if (checks) { raise_for(brick, quotients_fail(quotients, count, width, coded.has_escapes)); }
      // Only a lane of 15 has bit 4 set after 1 is added.
      if (coded.has_escapes && ((quotients + ones) & (16u * ones)) != 0u) {
        symbols |= with_escapes(quotients, count, width, &escapes, brick);
      } else {
        symbols |= (quotients & ((element_mask >> width) * ones)) << width;
      }
    }
    residuals[i] = packed_residuals(symbols);
  }
  return residuals;
}

// A word's quotients with the escapes put in, shifted above their suffixes.
fn with_escapes(quotients: u32, count: u32, width: u32, escapes: ptr<function, u32>, brick: u32) -> u32 {
  var symbols = 0u;
  for (var lane = 0u; lane < count; lane++) {
    var quotient = (quotients >> (lane * bits)) & element_mask;
    if (quotient == escape_quotient) {
      quotient = bits_at(*escapes, bits - width);
      raise_for(brick, quotient < escape_quotient);
      *escapes += bits - width;
    }
    symbols |= ((quotient << width) & element_mask) << (lane * bits);
  }
  return symbols;
}

// Copies one plane of the brick into the box.
fn store_brick(place: Place, plane: u32, thread: u32) {
  for (var i = 0u; i < part_words; i++) {
    let at = shared_word(thread, i);
    if (!is_inside(place, at)) { continue; }
    let word = load_word(word_at(at));
    let line = place.first_word + at.z * box.slice_words + at.y * box.row_words;
    if (planes == 2u) {
      for (var lane = 0u; lane < min(2u, place.extent.x - at.x); lane++) {
        let half = (word >> (16u * lane)) & 0xffffu;
        if (plane == 0u) { voxels[line + at.x + lane] = half; } else { voxels[line + at.x + lane] |= half << 16u; }
      }
    } else {
      let target_word = line + at.x / lanes;
      let valid = lanes_inside(place, at.x);
      if (valid == 0xffffffffu) {
        voxels[target_word] = word;
      } else {
        voxels[target_word] = (voxels[target_word] & ~valid) | (word & valid);
      }
    }
  }
}

// Copies a plane's code into workgroup memory. Most of it is loaded at once, before the header is known.
fn bring_code(start: u32, size: u32, thread: u32) {
  let at = vec4u(thread) + threads * vec4u(0u, 1u, 2u, 3u);
  let there = start + min(at, vec4u(max(size, 1u) - 1u));
  let brought = vec4u(payloads[there.x], payloads[there.y], payloads[there.z], payloads[there.w]);
  if (at.x < size) { store_word(at.x, brought.x); }
  if (at.y < size) { store_word(at.y, brought.y); }
  if (at.z < size) { store_word(at.z, brought.z); }
  if (at.w < size) { store_word(at.w, brought.w); }
  for (var word = at.w + threads; word < size; word += threads) { store_word(word, payloads[start + word]); }
}

// Reads the payload itself, so that the result is uniform across the workgroup.
fn block_at(start: u32, block: u32) -> Block {
  let bit = block_header(block);
  let low = payloads[start + bit / 32u];
  let high = payloads[start + bit / 32u + 1u];
  let window = (low >> (bit % 32u)) | ((high << 1u) << (31u - bit % 32u));
  return Block(window & low_bits(predictor_bits), (window >> predictor_bits) & element_mask);
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let brick = workgroup.x + workgroup.y * workgroups.x;
  if (brick >= box.brick_count) { return; }
  let cut = spans[brick * planes].xy;
  if (!is_mine(cut)) { return; }
  var block_count = blocks;
  if (clipped == 1u) {
    let blocks_there = blocks_in(extent_of(cut));
    block_count = blocks_there.x * blocks_there.y;
  }
  let place = place_of(cut, thread);

  for (var plane = 0u; plane < planes; plane++) {
    let start = spans[brick * planes + plane].z;
    let size = min(spans[brick * planes + plane].w, memory_words);
    bring_code(start, size, thread);
    let header = payloads[start];
    let own_block = block_at(start, place.block);
    var residuals = array<u32, part_words>();

    // If all codes are 0, all residuals are 0, and every predictor gives each element the block's base.
    let is_flat = (header & 0x7fu) == 0u;
    @if(causal) var has_causal = false;
    @if(causal) for (var number = 0u; number < block_count; number++) {
      has_causal = has_causal || block_at(start, number).predictor >= sum_predictors;
    }
    workgroupBarrier(); // the brick's code is in workgroup memory
    if (checks && is_flat && thread == 0u) { raise_for(brick, (header & 128u) != 0u || filling_fails(block_header(block_count), 32u * size)); }
    if (!is_flat) {
      let code_width = min((header >> 4u) & 7u, 4u);
      let codes = block_header(block_count);
      var code = 0u;
      if (place.count > 0u) {
        let named_code = (header & 15u) + bits_at(codes + code_width * place.code_index, code_width);
        raise_for(brick, named_code > raw_code || ((header >> 4u) & 7u) > 4u);
        code = min(named_code, raw_code);
      }
      let has_escapes = (header & 128u) != 0u;
      var coded = Coded(0u, code > 0u && code < raw_code, has_escapes, 0u, 0u, 0u);
      if (coded.is_rice) { coded.width = code - 1u; } else if (code == raw_code) { coded.width = bits; }
      let rice_count = select(0u, place.count, coded.is_rice);
      // With elements of 2 bytes, a group's parts share its planes: the first part counts all of them.
      var suffix_bits = coded.width * place.count;
      if (lanes == 2u) { suffix_bits = coded.width * place.size.x * place.size.y * place.size.z; }
      let not_brought = select(0u, suffix_bits, lanes == 2u && place.part > 0u);
      let scanned = scan(thread, (suffix_bits - not_brought) | (rice_count << 18u));
      // The suffixes end with the brick. If damaged data claims more bits than there are words, they start at the brick's start.
      let suffix_total = scanned.total & 0x3ffffu;
      let suffixes_bit = max(32u * size, suffix_total) - suffix_total;
      coded.suffixes = suffixes_bit + (scanned.before & 0x3ffffu) - not_brought;

      let prefixes_bit = codes + code_width * place.group_count;
      let first_word = prefixes_bit / 32u;
      let prefix_words = max((suffixes_bit + 31u) / 32u, first_word) - first_word;
      let prefixes = Prefixes(prefixes_bit, first_word, first_word + prefix_words, (prefix_words + threads - 1u) / threads);
      let share = share_of(prefixes, thread);
      let ones_there = scan(thread, count_ones(prefixes, share));
      mark_ones(prefixes, share, ones_there.before);
      workgroupBarrier(); // the marks are set
      coded.prefixes = bit_behind(prefixes, scanned.before >> 18u);

      var escape_total = 0u;
      if (has_escapes) {
        var escape_bits = 0u;
        if (coded.is_rice) {
          let end = bit_behind(prefixes, (scanned.before >> 18u) + place.count);
          escape_bits = count_escapes(coded.prefixes, end) * (bits - coded.width);
        }
        let escapes_there = scan(thread, escape_bits);
        coded.escapes = bit_behind(prefixes, scanned.total >> 18u) + escapes_there.before;
        escape_total = escapes_there.total;
      }
      if (checks && thread == 0u) {
        let rice_total = scanned.total >> 18u;
        raise_for(brick, suffix_total > 32u * size || prefixes_bit > suffixes_bit || ones_there.total < rice_total);
        raise_for(brick, has_escapes && escape_total == 0u);
        raise_for(brick, filling_fails(bit_behind(prefixes, rice_total) + escape_total, suffixes_bit));
      }
      if (code > 0u) { residuals = expand_part(place, coded, brick); }
      workgroupBarrier(); // all bits are read: elements may overwrite them
    }
    let is_level = is_flat || own_block.predictor == 0u;
    for (var i = 0u; i < part_words; i++) {
      let word = word_of(place, i);
      var residual = residuals[i];
      if (is_level) {
        residual = packed_add(residual, own_block.base * ones);
      } else if (i == 0u && starts_block(place)) {
        raise_for(brick, (residual & element_mask) != 0u);
        // 'the base in place of the first residual'
        residual = (residual & ~element_mask) | own_block.base;
      }
      if (word.count > 0u) { store_word(word_at(word.first), residual); }
    }
    workgroupBarrier(); // all residuals are stored

    if (!is_flat) {
      // The invocations are divided evenly among the blocks of an unclipped brick.
      let width = threads / blocks;
      let block = vec2u((thread / width) % blocks_x, thread / width / blocks_x);
      let is_there = all(block < place.blocks);
      let block_shape = vec2u(block_x, block_y);
      let first = block * block_shape;
      let extent = vec3u(min(block_shape, place.extent.xy - first), place.extent.z);
      let lane = thread % width;
      var predicted = own_block;
      if (blocks > 1u) { predicted = block_at(start, block.x + place.blocks.x * block.y); }
      for (var step = 0u; step < 3u; step++) {
        if (is_there) { sum_block(sum_of(predicted.predictor, step), word_at(vec3u(first, 0u)), extent, lane, width); }
        workgroupBarrier(); // this sum is complete
      }
      @if(causal) if (has_causal) {
        // Only blocks with predictors that are not sums take part. A wavefront of elements whose predecessors are all known moves
        // through each.
        let takes_part = is_there && predicted.predictor >= sum_predictors;
        for (var front = 1u; front < block_x + block_y + brick_z - 2u; front++) {
          if (takes_part) { reconstruct_front(predicted, front, first, extent, lane, width); }
          workgroupBarrier(); // this front's elements are stored
        }
      }
    }
    store_brick(place, plane, thread);
    workgroupBarrier(); // the brick is stored before the next plane overwrites it
  }
}
