// An encoder's brick, from the box into workgroup memory. No entry point: kernels.ts puts it in front of the others, behind
// brick.wgsl, shared-memory.wgsl and causal.wgsl.

@group(0) @binding(0) var<uniform> box: Box;
// From cut.wgsl: one for each brick.
@group(0) @binding(1) var<storage, read> places: array<vec4u>;
@group(0) @binding(2) var<storage, read> voxels: array<u32>;

// Fills workgroup memory with one plane of the brick; lanes behind the chunk's edge are 0. A barrier must follow. Returns the
// bits in which this invocation's elements differ from the brick's first one.
fn load_brick(place: Place, plane: u32, thread: u32) -> u32 {
  let first_element = ((voxels[place.first_word] >> (16u * plane)) & element_mask) * ones;
  var differing = 0u;
  for (var i = 0u; i < part_words; i++) {
    let at = shared_word(thread, i);
    var word = 0u;
    if (is_inside(place, at)) {
      let line = place.first_word + at.z * box.slice_words + at.y * box.row_words;
      if (planes == 2u) {
        word = (voxels[line + at.x] >> (16u * plane)) & 0xffffu;
        if (at.x + 1u < place.extent.x) { word |= (voxels[line + at.x + 1u] >> (16u * plane)) << 16u; }
      } else {
        word = voxels[line + at.x / lanes] & lanes_inside(place, at.x);
      }
    }
    differing |= word ^ first_element;
    store_word(word_at(at), word);
  }
  return differing;
}
