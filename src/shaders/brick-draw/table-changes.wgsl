// Writes changed entries of the page table.
//
// One invocation writes one entry. Dispatch: as many workgroups of 64 as the changes need.
//
// Invariants
// 1. The changes are of different entries, so that invocations write to different words.

/// See src/core/bricks/brick-table.ts.
@group(0) @binding(0) var<storage, read_write> table: array<u32>;
/// The index of each changed entry, and the entry. The binding ends with the last change.
@group(0) @binding(1) var<storage, read> changes: array<vec2u>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&changes)) {
    return;
  }
  let change = changes[id.x];
  table[change.x] = change.y;
}
