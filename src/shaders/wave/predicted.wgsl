// Elements of a part with their residuals, as the kernel `predict` writes them. src/core/codecs/wave/SPEC.md, 'Energy'.
// Twin: src/core/codecs/wave/walk.ts.

import package::wave::contexts::Near;
import package::wave::layout::Part;
import package::wave::places::around_of;

// Values, and residuals in the high halves.
@group(0) @binding(2) var<storage, read> elements: array<u32>;

fn near_of(part: Part, place: vec3i) -> Near {
  let a = around_of(part, place);
  var near: Near;
  near.has_behind = place.z > 0;
  near.left = elements[a.here - 1u];
  near.left2 = elements[a.here - 2u];
  near.above = elements[a.up];
  near.above_left = elements[a.up - a.right];
  near.above_right = elements[a.up + a.right];
  near.above2 = elements[a.up2];
  if (near.has_behind) {
    near.behind = elements[a.behind];
    near.behind_left = elements[a.behind - 1u];
    near.behind_right = elements[a.behind + 1u];
    near.behind_up = elements[a.behind_up];
    near.behind_down = elements[a.behind_down];
  }
  return near;
}
