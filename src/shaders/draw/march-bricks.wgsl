// Decides which bricks a ray of ray-march.wgsl crosses in one step, and composites the equal samples of a brick at once.

import package::draw::march_frame::{frame, way};
import package::draw::march_values::{ray_color, ray_opacity_bound};
import package::draw::rays::ray_headlight;

/// Colour and light of a ray behind some samples of the same value, without a gradient.
@if(paged) struct Added {
  color: vec4f,
  light: vec2f,
}

/// Composites equal samples at once. @param count the number of samples; the ray ends at the same sample as it would one by one
@if(paged) fn ray_constant(before: vec4f, place: f32, step_length: f32, count: f32, light_before: vec2f) -> Added {
  let sample = ray_color(place);
  let alpha = 1.0 - pow(1.0 - min(sample.a, 0.9999), step_length / frame.march.z);
  if (alpha <= 0.0) {
    return Added(before, light_before);
  }
  let light = select(light_before, ray_headlight(vec3f(0.0), vec3f(0.0), 1.0), frame.look.z > 0.5 && before.a < 0.9);
  let until_end = floor(log(0.02 / max(1.0 - before.a, 1e-6)) / log(1.0 - alpha)) + 1.0;
  let opacity = 1.0 - pow(1.0 - alpha, max(1.0, min(count, until_end)));
  let rgb = min(sample.rgb * light.x + vec3f(light.y), vec3f(1.0));
  return Added(before + (1.0 - before.a) * opacity * vec4f(rgb, 1.0), light);
}

/// Whether a ray crosses a brick in one step.
struct Crossing {
  is_crossed: bool,
  /// Whether nothing of the brick is visible.
  is_hidden: bool,
  /// The minimum place in the brick, clamped to the window.
  floor_there: f32,
}

/// @param values minimum and maximum place in a brick
/// @param extreme the extreme so far along the ray
fn ray_crossing(values: vec2f, has_missing: bool, has_numbers: bool, extreme: f32) -> Crossing {
  let range = clamp(values, vec2f(0.0), vec2f(1.0));
  let is_hidden = (frame.below.w == 1.0 && values.y < 0.0) || (frame.above.w == 1.0 && values.x > 1.0) || !has_numbers;
  var is_crossed = false;
  switch (way) {
    case 1: { is_crossed = is_hidden || values.y <= extreme; }
    case 2: { is_crossed = is_hidden || ray_opacity_bound(range) <= 0.0; }
    case 3: { is_crossed = is_hidden || values.x >= extreme; }
    case 4: { is_crossed = is_hidden || (range.y <= range.x && !has_missing); }
    case 5: { is_crossed = values.y < frame.look.x || !has_numbers; }
    default: { is_crossed = is_hidden || range.y <= 0.0; }
  }
  return Crossing(is_crossed, is_hidden, range.x);
}
