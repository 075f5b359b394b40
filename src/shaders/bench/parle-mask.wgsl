// PARLE's mask kernel: 1 for each value that differs from the one before it, and for the first.
// Source: Implementing run-length encoding in CUDA (`maskKernel`). A baseline of the bench, not a codec of Stria.
// Invocations stride over the values, neighbours over neighbours. Any number of workgroups of 256 along x works.
// Invariants: 1. The word after the masks is 0, so that an exclusive scan of all words is the inclusive scan, shifted by one.

// One word: the number of values.
@group(0) @binding(0) var<uniform> length: u32;
@group(0) @binding(1) var<storage, read> values: array<u32>; // `length` words
@group(0) @binding(2) var<storage, read_write> marks: array<u32>; // `length` + 1 words

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var index = id.x; index <= length; index += workgroups.x * 256u) {
    var starts = index == 0u;
    if (index > 0u && index < length) { starts = values[index] != values[index - 1u]; }
    marks[index] = select(0u, 1u, starts);
  }
}
