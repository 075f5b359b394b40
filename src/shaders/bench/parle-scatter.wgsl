// PARLE's scatter kernel: a run's symbol is the value where it starts, its count the distance to the next start.
// Source: Implementing run-length encoding in CUDA (`scatterKernel`). A baseline of the bench, not a codec of Stria.
// Invocations stride over the runs. Any number of workgroups of 256 along x works.
// Invariants: 1. Each word of `symbols` and `counts` has one writer.

@group(0) @binding(0) var<storage, read> starts: array<u32>; // runs + 1 words
@group(0) @binding(1) var<storage, read> total_runs: array<u32>; // one word
@group(0) @binding(2) var<storage, read> values: array<u32>;
@group(0) @binding(3) var<storage, read_write> symbols: array<u32>;
@group(0) @binding(4) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
  let runs = total_runs[0];
  for (var run = id.x; run < runs; run += workgroups.x * 256u) {
    let start = starts[run];
    symbols[run] = values[start];
    counts[run] = starts[run + 1u] - start;
  }
}
