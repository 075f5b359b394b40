// PARLE's compact kernel: a run starts where the scan of the marks rises; its position is stored under the run's number.
// Source: Implementing run-length encoding in CUDA (`compactKernel`). A baseline of the bench, not a codec of Stria.
// Invocations stride over the values. Any number of workgroups of 256 along x works.
// Invariants: 1. Each word of `starts` has one writer. 2. The word after the last run is the number of values.

@group(0) @binding(0) var<uniform> length: u32;
// The number of runs that start before each value, then the number of all runs: `length` + 1 words.
@group(0) @binding(1) var<storage, read> runs_before: array<u32>;
@group(0) @binding(2) var<storage, read_write> starts: array<u32>; // runs + 1 words
@group(0) @binding(3) var<storage, read_write> total_runs: array<u32>; // one word

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  for (var index = id.x; index < length; index += workgroups.x * 256u) {
    let before = runs_before[index];
    let through = runs_before[index + 1u];
    if (index == length - 1u) {
      starts[through] = length;
      total_runs[0] = through;
    }
    if (through != before) { starts[before] = index; }
  }
}
