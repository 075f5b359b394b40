// The ends of a ray of ray-march.wgsl, the isosurface that it hits, and the pixel that its samples give.

import package::draw::march_frame::{frame, way};
import package::draw::march_values::{ray_color, ray_light, ray_place};
import package::draw::rays::{no_place, ray_before_plane, ray_surface_color};
import package::draw::ray_boxes::{ray_nearest_sides, ray_safe};

/// The part of a ray that is shown.
struct Span {
  start: f32,
  end: f32,
  /// Where it enters the space between each pair of sides, and the side of the clip plane that is shown.
  sides: vec3f,
  plane: f32,
}

/// @param is_near whether the ray starts at an eye, which may be inside
fn ray_span(origin: vec3f, toward: vec3f, is_near: bool) -> Span {
  let safe = ray_safe(toward);
  let sides = ray_nearest_sides(origin, toward, frame.clip_low, frame.clip_high);
  let farthest = max((frame.clip_low - origin) / safe, (frame.clip_high - origin) / safe);
  let plane = ray_before_plane(frame.clip_plane, origin, toward);
  let entry = max(max(sides.x, plane.x), max(sides.y, sides.z));
  let start = select(entry, max(0.0, entry), is_near);
  return Span(start, min(min(farthest.x, plane.y), min(farthest.y, farthest.z)), sides, plane.x);
}

/// The ray parameter of the isosurface between two samples, of which the second one is inside. @param outside, at those of the samples
fn ray_inside(origin: vec3f, toward: vec3f, outside: f32, at: f32) -> f32 {
  var before = outside;
  var inside = at;
  for (var halving = 0; halving < 6; halving++) {
    // The first round takes the whole step: where the ray enters above the level, there is nothing to bisect.
    let middle = select(0.5 * (before + inside), before, halving == 0);
    if (ray_place(origin + toward * middle) >= frame.look.x) {
      inside = middle;
    } else {
      before = middle;
    }
  }
  return inside;
}

/// The brightness of the flat face through which a ray enters the volume.
fn ray_cut_light(span: Span, toward: vec3f) -> f32 {
  let forwards = normalize(toward * frame.edges);
  let across = abs(forwards);
  let at_box = select(select(across.z, across.y, span.sides.y == span.start), across.x, span.sides.x == span.start);
  let at_plane = abs(dot(forwards, normalize(frame.clip_plane.xyz / frame.edges)));
  return mix(0.75, 1.0, select(at_box, at_plane, span.plane == span.start));
}

/// The colour of the isosurface where a ray hits it. @param place of the first sample inside
fn ray_surface(hit: vec3f, toward: vec3f, place: f32) -> vec4f {
  let light = ray_light(hit, toward, 1e-3);
  let rgb = ray_surface_color(ray_color(select(frame.look.x, place, frame.window.w > 0.0)).rgb);
  return vec4f(min(rgb * light.x * 0.72 + vec3f(light.y), vec3f(1.0)), 1.0);
}

/// The pixel of a projection. @param extreme, sum, passed of all samples: the extreme, the integral, and the length over which it was taken
fn ray_result(extreme: f32, sum: f32, passed: f32) -> vec4f {
  if (abs(extreme) > no_place && passed == 0.0) {
    // The ray met nothing visible.
    return vec4f(0.0);
  }
  let result = select(extreme, sum / max(passed, 1e-30), way == 4);
  let alpha = max(frame.march.w, smoothstep(0.0, 0.12, clamp(result, 0.0, 1.0)));
  return vec4f(ray_color(result).rgb * alpha, alpha);
}
