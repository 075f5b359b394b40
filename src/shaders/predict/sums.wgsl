// A decoder's sums: residuals in workgroup memory become elements. No entry point: kernels.ts puts it in front of the
// others, behind brick.wgsl. SPEC.md, 'Predictors'. Twin: `reconstruct` in src/core/codecs/predict/predictors.ts.

const at_x0 = 1u;
const at_y0 = 2u;
const at_z0 = 4u;

// The axis (0, 1, 2; 3: none) of one of a predictor's three sums, and the coordinates that must be 0.
struct Sum { axis: u32, at: u32 }

fn sum_of(predictor: u32, step: u32) -> Sum {
  switch (predictor * 4u + step) {
    case 4u, 8u, 16u: { return Sum(2u, at_x0 | at_y0); }
    case 5u: { return Sum(1u, at_x0); }
    case 9u: { return Sum(0u, at_y0); }
    case 12u, 24u: { return Sum(1u, at_x0 | at_z0); }
    case 13u: { return Sum(0u, at_z0); }
    case 28u: { return Sum(0u, at_y0 | at_z0); }
    case 6u, 18u, 22u, 26u: { return Sum(0u, 0u); }
    case 10u, 17u, 21u, 30u: { return Sum(1u, 0u); }
    case 14u, 20u, 25u, 29u: { return Sum(2u, 0u); }
    default: { return Sum(3u, 0u); }
  }
}

// The running sum of a word's lanes, from its first on.
fn sum_lanes(word: u32) -> u32 {
  var sum = packed_add(word, word << bits);
  if (lanes == 4u) { sum = packed_add(sum, sum << ((2u * bits) & 31u)); }
  return sum;
}

// One row of `words` words.
fn sum_row(first: u32, words: u32) {
  var before = 0u;
  for (var at = first; at < first + words; at++) {
    let sum = packed_add(sum_lanes(wg_words[at]), before);
    wg_words[at] = sum;
    before = (sum >> (32u - bits)) * ones;
  }
}

// A word's column along y or z, in those lanes alone that `mask` covers.
fn sum_column(first: u32, pitch: u32, length: u32, mask: u32) {
  var before = wg_words[first] & mask;
  var at = first;
  for (var i = 1u; i < length; i++) {
    at += pitch;
    let sum = packed_add(wg_words[at], before);
    wg_words[at] = sum;
    before = sum & mask;
  }
}

// One of the three sums over a block, by `width` invocations, of which this is `lane`. `origin`: the block's first word;
// `extent`: how far it reaches in elements.
fn sum_block(sum: Sum, origin: u32, extent: vec3u, lane: u32, width: u32) {
  let words = block_x / lanes;
  // Lines are shared out as if the block were whole, and ended where it ends: so their numbers are cut up by shifts.
  let end = vec3u((extent.x + lanes - 1u) / lanes, extent.yz);
  let restricted = vec3<bool>((sum.at & at_x0) != 0u, (sum.at & at_y0) != 0u, (sum.at & at_z0) != 0u);
  let end_of_lines = select(end, vec3u(1u), restricted);
  let mask = select(0xffffffffu, element_mask, restricted.x);
  switch (sum.axis) {
    case 0u: {
      for (var line = lane; line < block_y * end_of_lines.z; line += width) {
        let y = line % block_y;
        if (y < end_of_lines.y) { sum_row(origin + (line / block_y) * slice_pitch + y * row_pitch, end.x); }
      }
    }
    case 1u: {
      for (var line = lane; line < words * end_of_lines.z; line += width) {
        let x = line % words;
        if (x < end_of_lines.x) { sum_column(origin + (line / words) * slice_pitch + x, row_pitch, end.y, mask); }
      }
    }
    case 2u: {
      for (var line = lane; line < words * end_of_lines.y; line += width) {
        let x = line % words;
        if (x < end_of_lines.x) { sum_column(origin + (line / words) * row_pitch + x, slice_pitch, end.z, mask); }
      }
    }
    default: {}
  }
}
