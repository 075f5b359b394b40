// Enters the bricks along a ray of ray-march.wgsl, decides which ones it crosses in one step, and composites the equal samples of a brick at once.

@if(paged) import package::brick_draw::paged::{paged, paged_shown};
@if(paged) import package::brick_draw::paged_rays::{paged_enter, paged_has_parts};
import package::draw::march_frame::{frame, way};
import package::draw::march_values::{ray_color, ray_opacity_bound};
@if(!paged) import package::draw::march_values::ray_place_of;
@if(!paged) import package::draw::ray_boxes::ray_safe;
@if(paged) import package::draw::ray_boxes::ray_through;
@if(!paged) import package::draw::rays::least_texel;
@if(paged) import package::draw::rays::ray_headlight;

/// x and y: least and greatest texel of each brick or block.
@if(!paged) @group(0) @binding(4) var bricks: texture_3d<f32>;
@if(!paged) @group(0) @binding(5) var blocks: texture_3d<f32>;

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

/// What a ray finds in a texture's brick or block.
@if(!paged) struct Checked {
  /// Where the ray leaves it, and where it leaves the block.
  leave: f32,
  leave_block: f32,
  crossing: Crossing,
}

/// Checks the block at a ray parameter, unless the ray is still in the last one, and the brick if the block may be visible.
/// @param span the ray parameter, and the end of the ray @param leave_block where the ray leaves the last block
@if(!paged) fn ray_check(origin: vec3f, toward: vec3f, span: vec2f, leave_block: f32, extreme: f32) -> Checked {
  let position = min(origin + toward * span.x, vec3f(0.999999));
  let brick_size = vec3f(frame.dims.w) / frame.dims.xyz;
  let safe = ray_safe(toward);
  var checked = Checked(span.y, leave_block, Crossing(false, false, 0.0));
  for (var level = select(0, 1, span.x >= leave_block); level >= 0 && !checked.crossing.is_crossed; level--) {
    let size = brick_size * select(1.0, 4.0, level == 1);
    let cell = vec3i(position / size);
    let far = max((vec3f(cell) * size - origin) / safe, (vec3f(cell + 1) * size - origin) / safe);
    checked.leave = min(span.y, min(far.x, min(far.y, far.z)));
    var texels: vec4f;
    if (level == 1) {
      checked.leave_block = checked.leave;
      texels = textureLoad(blocks, cell, 0);
    } else {
      texels = textureLoad(bricks, cell, 0);
    }
    let ends = ray_place_of(texels.xy);
    let values = vec2f(min(ends.x, ends.y), max(ends.x, ends.y));
    checked.crossing = ray_crossing(values, (texels.x < least_texel), (texels.y >= least_texel), extreme);
  }
  return checked;
}

/// A brick that a ray has entered.
@if(paged) struct MarchBrick {
  /// Where the ray leaves it, and the step in it.
  leave: f32,
  step: f32,
  /// The part of the ray that is crossed in one step, or whose samples are added up, and whether there is one.
  inner: vec2f,
  is_inner_ahead: bool,
  crossing: Crossing,
  /// Whether samples are added up, and their place.
  is_added: bool,
  place: f32,
  /// Whether its cells are checked.
  has_parts: bool,
}

/// @param span the ray parameter, and the end of the ray @param step the step so far, which stays if there is no brick to draw
@if(paged) fn ray_enter_brick(
  origin: vec3f,
  toward: vec3f,
  span: vec2f,
  finest_step: f32,
  step: f32,
  extreme: f32,
) -> MarchBrick {
  let cell = paged_enter(origin + toward * span.x, frame.eye, frame.edges);
  let leave = min(span.y, ray_through(origin, toward, cell.low, cell.high).y);
  var brick = MarchBrick(leave, step, vec2f(span.x, leave), true, Crossing(true, true, 0.0), false, 0.0, false);
  if (cell.is_there) {
    let factors = paged.levels[paged_shown].factors;
    brick.step = finest_step * min(factors.x, min(factors.y, factors.z));
    brick.crossing = ray_crossing(cell.ends, cell.has_missing, cell.has_numbers, extreme);
    brick.is_added = way == 2 && cell.is_constant && !brick.crossing.is_crossed;
    brick.place = cell.ends.x;
    // Compositing is faster without checks of cells, which are rarely invisible in a visible brick.
    brick.has_parts = way != 2 && paged_has_parts();
    // Outside this inner part, samples depend on other bricks. Gradients reach a voxel further.
    let margin = select(vec3f(0.0), cell.voxel, brick.is_added && frame.look.z > 0.5);
    let inner = ray_through(origin, toward, cell.inner_low + margin, cell.inner_high - margin);
    brick.inner = vec2f(inner.x, min(leave, inner.y));
  }
  brick.is_inner_ahead = (brick.crossing.is_crossed || brick.is_added) && brick.inner.x < brick.inner.y;
  return brick;
}
