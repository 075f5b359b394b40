// Marches a ray through a volume in its unit cube for each pixel of a strip of a picture, in one of six ways (Projection in
// src/core/draw/ray-pass.ts). It renders the volume alone; the app shows the picture within a three.js scene.
//
// 1 maximum: the greatest value along the ray.
// 2 compositing: front to back with a transfer function and a headlight (Levoy, 'Display of Surfaces from Volume Data', 1988) and
// early ray termination (Levoy 1990). Opacity is per reference length and corrected for the step, so that the picture does not
// depend on the step.
// 3 minimum, 4 mean: the least value, and the mean of all samples, clamped to the window. They count the background, too: skipping
// it would skip nearly everything.
// 5 isosurface: the first sample at or above a level, located by bisection between two samples, with a headlight. Where the ray
// enters above the level, the cut shows the values themselves.
// 6 attenuated maximum: the greatest of value × exp(−attenuation × ∫ values in front of it), which shows depth.
//
// A place in the window is the position of a value in it: 0 at its low end, 1 at its high end. Places rise with real values: if the
// slope is negative, texels fall along the window. Samples interpolated with a missing voxel (see texture-fill.wgsl) are skipped.
//
// Bricks: for each brick of 8³ or more texels, `bricks` holds the least and the greatest texel that samples in it depend on;
// `blocks` holds the same for blocks of 4³ bricks. The ray crosses an invisible brick or block in one step. It checks a block on
// entry, and the block's bricks if the block may be visible.
//
// Lighting takes more samples than anything else. Gradients therefore use only four samples, at the corners of a tetrahedron, whose
// differences add up to central differences. Once a tenth or less of the light from behind gets through, samples reuse the light of
// the sample in front. While the view moves, so do samples that together add little opacity.
//
// Dispatch: ceil(width / tile_width) × ceil(rows / tile_height).
//
// Invariants
// 1. The march ends: each round advances by at least a step, and there are at most `march.y` rounds. A sample of a gradient is no round.
// 2. Pixels are premultiplied sRGB, ready to be blended over the background.
// 3. No sample lies outside clip_low…clip_high or beyond clip_plane.
//
// Several volumes at once: ray-stack.wgsl.
//
// With the condition `paged` the volume is not a texture: its voxels lie in the bricks in GPU memory (brick-draw/paged-rays.wgsl),
// each brick at its own level, and the ray takes steps of that level. It skips invisible bricks and, except for compositing,
// invisible cells of bricks in the texture. In a constant brick, compositing adds up all samples at once that neither depend on other bricks
// nor have a gradient. Dims and texels are then those of the volume itself.

@if(!paged) import package::draw::march_bricks::ray_check;
@if(paged) import package::brick_draw::paged_rays::{paged_begin, paged_enter, paged_leave, paged_part};
@if(paged) import package::brick_draw::paged_samples::paged_sampled;
@if(paged) import package::draw::march_bricks::{ray_constant, ray_enter_brick};
import package::draw::march_bricks::{Crossing, ray_crossing};
import package::draw::march_frame::{frame, way};
@if(paged) import package::draw::march_values::{ray_corner, ray_has_light, ray_lit, ray_solid, ray_texel};
import package::draw::march_values::{ray_color, ray_light, ray_place};
import package::draw::march_result::{ray_cut_light, ray_inside, ray_result, ray_span, ray_surface};
import package::draw::rays::{missing_place, no_place, ray_shift};
@if(paged) import package::draw::ray_boxes::ray_through;

/// The rows of the strip, from its top.
@if(!paged) @group(0) @binding(6) var picture: texture_storage_2d<rgba8unorm, write>;
@if(paged) @group(0) @binding(7) var picture: texture_storage_2d<rgba8unorm, write>;

/// Pixels per workgroup.
override tile_width: u32 = 8u;
override tile_height: u32 = 4u;

@compute @workgroup_size(tile_width, tile_height)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= vec2u(frame.strip.xw))) {
    return;
  }
  let pixel = vec2f(id.xy) + vec2f(0.5, 0.5 + frame.strip.z);
  let beyond = frame.to_cube * vec4f(vec2f(2.0, -2.0) * pixel / frame.strip.xy + vec2f(-1.0, 1.0), 1.0, 1.0);
  textureStore(picture, id.xy, ray_march(beyond.xyz / beyond.w, pixel));
}

/// @param beyond any point on the ray in front of the eye
fn ray_march(beyond: vec3f, pixel: vec2f) -> vec4f {
  let is_near = frame.eye.w > 0.5;
  let origin = select(beyond, frame.eye.xyz, is_near);
  let toward = normalize(select(-frame.eye.xyz, beyond - frame.eye.xyz, is_near));
  let span = ray_span(origin, toward, is_near);
  let start = span.start;
  let end = span.end;
  if (end <= start) {
    return vec4f(0.0);
  }
  let finest_step = frame.march.x / length(toward * frame.dims.xyz);
  let step_edge = length(toward * frame.edges);
  @if(!paged) let step = finest_step;
  @if(paged) var step = finest_step;
  @if(!paged) let step_length = step * step_edge;
  @if(paged) var step_length = step * step_edge;
  var at = start + step * min(ray_shift(pixel), 0.999 * (end - start) / step);
  // Of all samples so far: the least or greatest value, the integral, and the length over which it was taken.
  var extreme = select(missing_place, -missing_place, way == 3);
  var sum = 0.0;
  var passed = 0.0;
  var color = vec4f(0.0);
  var light = vec2f(1.0, 0.0);
  // Opacity added since the light was last computed. It starts at 1, so that the first sample computes it. It is negative if the light has
  // just been computed for the sample at hand.
  var unlit = 1.0;
  // Whether some samples are not shown.
  let has_holes = way != 5 && (frame.below.w == 1.0 || frame.above.w == 1.0);
  // Where the ray leaves the last checked brick and block, or cell and brick.
  var leave = start;
  @if(!paged) var leave_block = start;
  // Where four samples of a gradient must be taken one by one, compositing takes them in rounds of the same loop, so that neighbouring rays
  // go on meanwhile: the number of the next one from 1 on, or 0 for a sample on the ray; the sum so far; and the place on the ray.
  @if(paged) var corner = 0u;
  @if(paged) var differences = vec3f(0.0);
  @if(paged) var held = 0.0;
  @if(paged) {
    paged_begin(select(0.0, 1.0, way == 5 || (way == 2 && frame.look.z > 0.5)));
  }
  let rounds = u32(frame.march.y);
  var round = 0u;
  // The GPU runs neighbouring rays in step, and all of them wait for those that enter a brick or a cell. So each of these has a loop of
  // its own, at whose end the rays wait for each other and then enter the next one together.
  while (round < rounds && at < end) {
    @if(paged) let brick = ray_enter_brick(origin, toward, vec2f(at, end), finest_step, step, extreme);
    @if(paged) var is_inner_ahead = brick.is_inner_ahead;
    @if(paged) {
      step = brick.step;
      step_length = step * step_edge;
    }
    loop {
      var crossing = Crossing(false, false, 0.0);
      @if(!paged) {
        let checked = ray_check(origin, toward, vec2f(at, end), leave_block, extreme);
        leave = checked.leave;
        leave_block = checked.leave_block;
        crossing = checked.crossing;
      }
      @if(paged) {
        leave = select(brick.leave, min(brick.leave, brick.inner.x), is_inner_ahead);
        if (is_inner_ahead && at >= brick.inner.x) {
          is_inner_ahead = false;
          leave = brick.leave;
          if (at < brick.inner.y) {
            leave = brick.inner.y;
            crossing = brick.crossing;
            if (brick.is_added) {
              crossing = Crossing(true, true, 0.0);
              let added = ray_constant(color, brick.place, step_length, ceil((leave - at) / step), light);
              color = added.color;
              light = added.light;
              if (color.a > 0.98) {
                color = color / color.a;
                at = end;
              }
            }
          }
        }
        if (!crossing.is_crossed && brick.has_parts) {
          let part = paged_part(origin + toward * at);
          leave = min(brick.leave, ray_through(origin, toward, part.low, part.high).y);
          crossing = ray_crossing(part.ends, part.has_missing, part.has_numbers, extreme);
        }
      }
      if (crossing.is_crossed) {
        // Jumps to the far side in whole steps, so that skipping does not shift sample positions.
        let steps = max(1.0, ceil((leave - at) / step));
        if (way == 4 && !crossing.is_hidden) {
          sum += steps * step_length * crossing.floor_there;
          passed += steps * step_length;
        } else if (way == 6 && !crossing.is_hidden) {
          extreme = max(extreme, 0.0);
        }
        at += steps * step;
        round++;
      } else {
        @if(paged) var first = at;
        @if(paged) var last = at;
        loop {
          @if(paged) {
            last = at;
          }
          @if(!paged) let position = origin + toward * at;
          @if(paged) var position = origin + toward * at;
          @if(paged) {
            if (corner > 0u) {
              position += ray_corner(corner - 1u) * ray_texel();
            }
          }
          @if(!paged) let place = ray_place(position);
          @if(paged) var place = ray_place(position);
          @if(paged) {
            if (corner > 0u) {
              differences += 0.5 * ray_corner(corner - 1u) * ray_solid(place);
              corner++;
              if (corner <= 4u) {
                continue;
              }
              corner = 0u;
              light = ray_lit(differences, toward, 0.12);
              unlit = -1.0;
              place = held;
            }
          }
          if (place <= -no_place || (has_holes && ((frame.below.w == 1.0 && place < -1e-4) || (frame.above.w == 1.0 && place > 1.0001)))) {
            continue;
          }
          switch (way) {
            case 1: {
              extreme = max(extreme, place);
              if (extreme > select(0.9999, 1.0001, frame.above.w == 2.0)) {
                at = end;
              }
            }
            case 2: {
              let sample = ray_color(place);
              if (sample.a > 0.0) {
                let alpha = 1.0 - pow(1.0 - min(sample.a, 0.9999), step_length / frame.march.z);
                @if(paged) let is_lit = unlit < 0.0;
                @if(!paged) let is_lit = false;
                unlit = select(unlit + (1.0 - color.a) * alpha, 0.0, is_lit);
                if (frame.look.z > 0.5 && color.a < 0.9 && unlit > frame.window.z) {
                  @if(paged) {
                    if (!ray_has_light()) {
                      corner = 1u;
                      differences = vec3f(0.0);
                      held = place;
                      continue;
                    }
                  }
                  light = ray_light(position, toward, 0.12);
                  unlit = 0.0;
                }
                color += (1.0 - color.a) * alpha * vec4f(min(sample.rgb * light.x + vec3f(light.y), vec3f(1.0)), 1.0);
                if (color.a > 0.98) {
                  color = color / color.a;
                  at = end;
                }
              }
            }
            case 3: {
              extreme = min(extreme, place);
              if (extreme < select(1e-4, -1e-4, frame.below.w == 2.0)) {
                at = end;
              }
            }
            case 4: {
              // Weighted by length, because steps differ between levels.
              sum += step_length * clamp(place, 0.0, 1.0);
              passed += step_length;
            }
            case 5: {
              if (place >= frame.look.x) {
                let inside = ray_inside(origin, toward, max(start, at - step), at);
                let hit = origin + toward * inside;
                @if(paged) {
                  // The hit may lie in a brick in front of the sample's.
                  if (frame.window.w == 0.0) {
                    paged_sampled(origin + toward * first, position);
                  }
                  first = inside;
                  last = inside;
                  _ = paged_enter(clamp(hit, vec3f(0.0), vec3f(1.0)), frame.eye, frame.edges);
                }
                let at_hit = ray_place(hit);
                if (inside == start) {
                  color = vec4f(ray_color(at_hit).rgb * ray_cut_light(span, toward), 1.0);
                } else {
                  color = ray_surface(hit, toward, place);
                }
                at = end;
              }
            }
            default: {
              let shown = clamp(place, 0.0, 1.0);
              extreme = max(extreme, shown * exp(-frame.look.y * sum));
              sum += shown * step_length;
              // Nothing further behind can be brighter.
              if (exp(-frame.look.y * sum) <= extreme) {
                at = end;
              }
            }
          }
          continuing {
            @if(paged) let is_on_ray = corner == 0u;
            @if(!paged) let is_on_ray = true;
            if (is_on_ray) {
              at += step;
              round++;
            }
            break if is_on_ray && (at >= leave || at >= end || round >= rounds);
          }
        }
        @if(paged) {
          // Labels are not interpolated: `paged_place` records their bricks.
          if (frame.window.w == 0.0) {
            paged_sampled(origin + toward * first, origin + toward * last);
          }
        }
      }
      @if(paged) let until = brick.leave;
      @if(!paged) let until = end;
      if (at >= until || round >= rounds) {
        break;
      }
    }
  }
  @if(paged) {
    paged_leave();
  }
  if (way == 2 || way == 5) {
    return color;
  }
  return ray_result(extreme, sum, passed);
}
