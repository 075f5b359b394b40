// A decoder's wavefront for predictors that are not sums: it turns residuals in workgroup memory into elements. SPEC.md,
// 'Predictors'. Twin: `reconstruct` in src/core/codecs/rice/brick.ts.

import package::bricks::memory::{load_word, store_word};
import package::bricks::packed::{bits, element_mask, lanes};
import package::rice::brick::{block_y, word_at};
import package::rice::causal::expectation;
import package::rice::reader::Block;

// Reconstructs the elements of a block whose coordinates add up to `front`. All elements with smaller sums must be there. `lane`
// numbers this invocation among the `width` that share the block. Each owns whole rows, so no two write to one word. `first`: the
// block's origin.
fn reconstruct_front(block: Block, front: u32, first: vec2u, extent: vec3u, lane: u32, width: u32) {
  for (var row = lane; row < block_y * extent.z; row += width) {
    let y = row % block_y;
    let z = row / block_y;
    let x = front - y - z; // larger than any length if it is negative
    if (x >= extent.x || y >= extent.y) { continue; }
    let element = vec3u(first + vec2u(x, y), z);
    let expected = expectation(block.predictor, element, vec3u(x, y, z), block.base);
    let at = word_at(element);
    let shift = bits * (x % lanes);
    let word = load_word(at);
    let value = ((word >> shift) + expected) & element_mask;
    store_word(at, (word & ~(element_mask << shift)) | (value << shift));
  }
}
