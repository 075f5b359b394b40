// The machine's upper bound: copies words from one buffer to another and does nothing else.
//
// Invocation n copies the vec4s n, n + (number of invocations), and so on, so that neighbours read neighbours. Dispatch as many
// workgroups of 256 as fill the GPU.
//
// Invariants: 1. both buffers hold the same number of vec4s.

@group(0) @binding(0) var<storage, read> source: array<vec4u>;        // words, whole length
@group(0) @binding(1) var<storage, read_write> target_words: array<vec4u>; // as long as source

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let stride = groups.x * 256u;
  let length = arrayLength(&source);
  for (var index = id.x; index < length; index += stride) {
    target_words[index] = source[index];
  }
}
