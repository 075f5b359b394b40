// The values of a part's elements, as the kernel `spread` writes them, and the values of an element's neighbours.
// src/core/codecs/wave/SPEC.md, 'Prediction'. Twin: src/core/codecs/wave/walk.ts.

import package::wave::layout::Part;
import package::wave::places::around_of;

@group(0) @binding(1) var<storage, read> values: array<u32>;

const neighbour_count = 28u;

// The places of an element's neighbours. In slice 0, only the first ten count.
fn neighbour_places(part: Part, place: vec3i) -> array<vec4u, 7> {
  let a = around_of(part, place);
  let one = a.right;
  let two = 2u * a.right;
  return array<vec4u, 7>(
    vec4u(a.here - 1u, a.up, a.up - one, a.up + one),
    vec4u(a.here - 2u, a.up2, a.up2 - one, a.up2 + one),
    vec4u(a.up - two, a.up + two, a.behind, a.behind - 1u),
    vec4u(a.behind_up, a.behind + 1u, a.behind_down, a.behind_up - 1u),
    vec4u(a.behind_up + 1u, a.behind_down - 1u, a.behind_down + 1u, a.behind + 2u),
    vec4u(a.behind_down2, a.behind - 2u, a.behind_up2, a.farther),
    vec4u(a.farther - 1u, a.farther_up, a.farther + 1u, a.farther_down),
  );
}

fn four(at: vec4u) -> vec4u { return vec4u(values[at.x], values[at.y], values[at.z], values[at.w]); }

fn neighbours_of(part: Part, place: vec3i) -> array<vec4u, 7> {
  let at = neighbour_places(part, place);
  return array<vec4u, 7>(four(at[0]), four(at[1]), four(at[2]), four(at[3]), four(at[4]), four(at[5]), four(at[6]));
}
