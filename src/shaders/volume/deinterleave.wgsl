// Reorders the planes of interleaved time points into the order of time points: all planes of one, then those of the next.
// An invocation copies 8 words, 256 apart. A workgroup owns 2048 neighbouring words of the result. Dispatch: a workgroup for each,
// spread over x and y.
// Twin: `ChunkGrid.planeInChunk` in src/core/format/chunk-grid.ts.

struct Shape {
  plane_words: u32,
  /// Planes of a time point.
  depth: u32,
  time_points: u32,
  spare: u32,
}

/// Plane z of time point t is number z × time_points + t.
@group(0) @binding(0) var<storage, read> interleaved: array<u32>;
/// Plane z of time point t is number t × depth + z.
@group(0) @binding(1) var<storage, read_write> stacked: array<u32>;
@group(0) @binding(2) var<uniform> shape: Shape;

@compute @workgroup_size(256)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let first = (workgroup.x + workgroup.y * workgroups.x) * 2048u + thread;
  let count = shape.plane_words * shape.depth * shape.time_points;
  for (var i = first; i < min(count, first + 2048u); i += 256u) {
    let plane = i / shape.plane_words;
    let t = plane / shape.depth;
    let z = plane % shape.depth;
    stacked[i] = interleaved[(z * shape.time_points + t) * shape.plane_words + i % shape.plane_words];
  }
}
