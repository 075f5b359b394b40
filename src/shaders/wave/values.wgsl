// The values of a part's elements, as the kernel `spread` writes them, and those of an element's neighbours.
// src/core/codecs/wave/SPEC.md, 'Prediction'. Twin: src/core/codecs/wave/walk.ts.

import package::wave::layout::Part;
import package::wave::places::around_of;

@group(0) @binding(1) var<storage, read> values: array<u32>;

const neighbour_count = 28u;

fn four(a: u32, b: u32, c: u32, d: u32) -> vec4u { return vec4u(values[a], values[b], values[c], values[d]); }

// In slice 0, only the first ten count.
fn neighbours_of(part: Part, place: vec3i) -> array<vec4u, 7> {
  let a = around_of(part, place);
  let one = a.right;
  let two = 2u * a.right;
  return array<vec4u, 7>(
    four(a.here - 1u, a.up, a.up - one, a.up + one),
    four(a.here - 2u, a.up2, a.up2 - one, a.up2 + one),
    four(a.up - two, a.up + two, a.behind, a.behind - 1u),
    four(a.behind_up, a.behind + 1u, a.behind_down, a.behind_up - 1u),
    four(a.behind_up + 1u, a.behind_down - 1u, a.behind_down + 1u, a.behind + 2u),
    four(a.behind_down2, a.behind - 2u, a.behind_up2, a.farther),
    four(a.farther - 1u, a.farther_up, a.farther + 1u, a.farther_down),
  );
}
