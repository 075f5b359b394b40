// Marches a ray through up to five volumes at once, each with its own place, grid, window and colours: the open volume and the
// layers over it. ray-march.wgsl does the same for one volume, and explains projections, bricks and light.
//
// A position along the ray is given by t in origin + t × toward, in the unit cube of the open volume. The maps into the volumes'
// textures are linear, so t means the same position in each of them.
//
// Compositing and isosurfaces: at each step, volumes that are blended `over` are composited front to back together, so that they
// hide each other by depth; at equal depth the top one is in front. A volume that is blended as a sum or a maximum is composited
// separately, and its picture is blended with the volumes below it in the list.
// Other projections: each volume is projected separately, and the pictures are blended.
// Labels are surfaces in all projections: each change of the number along a ray is a hit, with the opacity of the volume. Numbers are
// never blended. The normal is the gradient of the occupancy, smoothed by cubic B-splines over 4³ texels.
// A volume's opacity applies to the volume as a whole: through an image of opacity 0.3, at least 0.7 of everything behind it is visible.
//
// With the condition `meshes`, rays also hit surfaces that mesh.wgsl has rasterised. In compositing and isosurfaces, surfaces and volumes
// that are blended `over` hide each other by depth, and no ray passes an opaque surface. Other projections have no depth: there
// surfaces are drawn over the result.
//
// Each volume has its own bricks, and its samples are skipped where it is empty. Where all volumes are empty, the ray jumps
// to the nearest brick's end in one step.
//
// With the condition `paged`, the voxels of the first volume lie in the bricks in GPU memory (brick-draw/paged-rays.wgsl), each at its own
// level, and the ray takes steps of that level, or of the finest layer. The picture ends at opaque surfaces, so rays request no bricks
// behind them.
//
// With the condition `layer_bricks`, so do those of some layers (stack-layers.wgsl): those of volume 2 with `has_bricks_2`, and so on. A
// texture of their own, at a lower resolution, is drawn where bricks are missing. The ray takes the shortest of the steps of the bricks
// that it is in, and of the other layers.
//
// A kernel holds the code of one projection, and for each volume the code of images, labels or both: see `images` and `labels`.
//
// Dispatch: ceil(width / tile_width) × ceil(rows / tile_height).
//
// Invariants
// 1. The march ends: each round advances by at least a step, and there are at most `most_rounds`.
// 2. Pixels are premultiplied sRGB, ready to be blended over the background.
// 3. No sample lies outside clip_low…clip_high or beyond clip_plane, or outside of its volume.

import package::draw::rays::{missing_place, no_place, ray_before_plane, ray_shift};
import package::draw::ray_boxes::ray_through;
import package::draw::stack_composite::{ray_sample_image, ray_sample_label};
import package::draw::stack_frame::{Passage, forwards, frame, joint, never, ray_origin, ray_toward, step, step_length, way};
import package::draw::stack_skip::ray_look;
@if(paged) import package::brick_draw::paged_rays::paged_leave;
@if(paged) import package::brick_draw::paged_texels::filtered;
@if(paged) import package::draw::stack_bricks::{ray_begin_bricks, ray_look_bricks};
@if(layer_bricks) import package::draw::stack_layer_skip::{ray_begin_layer, ray_look_layer};
@if(layer_bricks) import package::draw::stack_layers::layer_leave;
import package::draw::stack_values::ray_color;
/// Bit n: volume n + 1 may be an image; its values may be labels. The compiler drops calls for which the bit is 0 before it inlines them.
import constants::{binding_shift, images, labels, picture_binding};
@if(meshes) import package::draw::stack_surfaces::{surface_at, surface_end, surface_pixel, surface_take, surfaces_until};

const most_rounds = 65536u;

/// The rows of the strip, from its top.
@if(!halves) @group(0) @binding(picture_binding) var picture: texture_storage_2d<rgba8unorm, write>;
/// To be blended with other pictures (channel-blend.wgsl).
@if(halves) @group(0) @binding(picture_binding) var picture: texture_storage_2d<rgba16float, write>;
/// Each volume's texture, bricks and blocks, as in ray-march.wgsl. A layer that is drawn from bricks has their texture in place of blocks.
/// Textures that a variant does not use take no binding.
@group(0) @binding(4) var image_1: texture_3d<f32>;
@group(0) @binding(5) var bricks_1: texture_3d<f32>;
@if(has_blocks_1) @group(0) @binding(6) var blocks_1: texture_3d<f32>;
@if(has_bricks_1) @group(0) @binding(6) var atlas_1: texture_3d<f32>;
@group(0) @binding(7u + binding_shift) var image_2: texture_3d<f32>;
@group(0) @binding(8u + binding_shift) var bricks_2: texture_3d<f32>;
@if(has_blocks_2) @group(0) @binding(9u + binding_shift) var blocks_2: texture_3d<f32>;
@if(has_bricks_2) @group(0) @binding(9u + binding_shift) var atlas_2: texture_3d<f32>;
@group(0) @binding(10u + binding_shift) var image_3: texture_3d<f32>;
@group(0) @binding(11u + binding_shift) var bricks_3: texture_3d<f32>;
@if(has_blocks_3) @group(0) @binding(12u + binding_shift) var blocks_3: texture_3d<f32>;
@if(has_bricks_3) @group(0) @binding(12u + binding_shift) var atlas_3: texture_3d<f32>;
@group(0) @binding(13u + binding_shift) var image_4: texture_3d<f32>;
@group(0) @binding(14u + binding_shift) var bricks_4: texture_3d<f32>;
@if(has_blocks_4) @group(0) @binding(15u + binding_shift) var blocks_4: texture_3d<f32>;
@if(has_bricks_4) @group(0) @binding(15u + binding_shift) var atlas_4: texture_3d<f32>;
@group(0) @binding(16u + binding_shift) var image_5: texture_3d<f32>;
@group(0) @binding(17u + binding_shift) var bricks_5: texture_3d<f32>;
@if(has_blocks_5) @group(0) @binding(18u + binding_shift) var blocks_5: texture_3d<f32>;
@if(has_bricks_5) @group(0) @binding(18u + binding_shift) var atlas_5: texture_3d<f32>;

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
  textureStore(picture, id.xy, ray_stack(beyond.xyz / beyond.w, pixel));
}

/// @param beyond any point on the ray in front of the eye
fn ray_stack(beyond: vec3f, pixel: vec2f) -> vec4f {
  let is_near = frame.eye.w > 0.5;
  let origin = select(beyond, frame.eye.xyz, is_near);
  let toward = normalize(select(-frame.eye.xyz, beyond - frame.eye.xyz, is_near));
  forwards = normalize(toward * frame.edges);
  ray_origin = origin;
  ray_toward = toward;
  let shown = ray_clip(origin, toward, select(-never, 0.0, is_near));
  var ray_1 = ray_meet(0u, origin, toward, shown);
  @if(volumes_2) var ray_2 = ray_meet(1u, origin, toward, shown);
  @if(volumes_3) var ray_3 = ray_meet(2u, origin, toward, shown);
  @if(volumes_4) var ray_4 = ray_meet(3u, origin, toward, shown);
  @if(volumes_5) var ray_5 = ray_meet(4u, origin, toward, shown);
  // From the start of the ray's first volume to the end of its last.
  var path = vec2f(never, -never);
  @if(volumes_2) path = ray_join(path, ray_2);
  @if(volumes_3) path = ray_join(path, ray_3);
  @if(volumes_4) path = ray_join(path, ray_4);
  @if(volumes_5) path = ray_join(path, ray_5);
  path = ray_join(path, ray_1);
  var end = path.y;
  @if(meshes) surface_pixel = vec2i(vec2f(pixel.x, pixel.y - frame.strip.z));
  @if(meshes) surface_take(1);
  @if(meshes) if (way == 2 || way == 5) {
    end = min(end, surface_end());
  }
  if (end <= path.x) {
    @if(meshes) surfaces_until(never);
    return joint;
  }
  @if(paged) ray_begin_bricks(&ray_1, end);
  @if(has_bricks_1) ray_begin_layer(0u, &ray_1, end, bricks_1, atlas_1);
  @if(has_bricks_2) ray_begin_layer(1u, &ray_2, end, bricks_2, atlas_2);
  @if(has_bricks_3) ray_begin_layer(2u, &ray_3, end, bricks_3, atlas_3);
  @if(has_bricks_4) ray_begin_layer(3u, &ray_4, end, bricks_4, atlas_4);
  @if(has_bricks_5) ray_begin_layer(4u, &ray_5, end, bricks_5, atlas_5);
  let ray_length = length(toward * frame.edges);
  step = ray_1.step;
  @if(volumes_2) step = min(step, ray_2.step);
  @if(volumes_3) step = min(step, ray_3.step);
  @if(volumes_4) step = min(step, ray_4.step);
  @if(volumes_5) step = min(step, ray_5.step);
  step_length = step * ray_length;
  var at = path.x + step * min(ray_shift(pixel), 0.999 * (end - path.x) / step);
  for (var round = 0u; round < most_rounds && at < end; round++) {
    @if(meshes) if (surface_at <= at && (way == 2 || way == 5)) {
      surfaces_until(at);
    }
    @if(has_blocks_1) var empty_until = ray_look(0u, &ray_1, at, bricks_1, blocks_1);
    @if(has_bricks_1) var empty_until = ray_look_layer(0u, &ray_1, at, bricks_1, atlas_1);
    @if(paged) var empty_until = ray_look_bricks(&ray_1, at);
    @if(has_blocks_2) empty_until = min(empty_until, ray_look(1u, &ray_2, at, bricks_2, blocks_2));
    @if(has_bricks_2) empty_until = min(empty_until, ray_look_layer(1u, &ray_2, at, bricks_2, atlas_2));
    @if(has_blocks_3) empty_until = min(empty_until, ray_look(2u, &ray_3, at, bricks_3, blocks_3));
    @if(has_bricks_3) empty_until = min(empty_until, ray_look_layer(2u, &ray_3, at, bricks_3, atlas_3));
    @if(has_blocks_4) empty_until = min(empty_until, ray_look(3u, &ray_4, at, bricks_4, blocks_4));
    @if(has_bricks_4) empty_until = min(empty_until, ray_look_layer(3u, &ray_4, at, bricks_4, atlas_4));
    @if(has_blocks_5) empty_until = min(empty_until, ray_look(4u, &ray_5, at, bricks_5, blocks_5));
    @if(has_bricks_5) empty_until = min(empty_until, ray_look_layer(4u, &ray_5, at, bricks_5, atlas_5));
    // A ray may have entered bricks of other levels.
    @if(varying) step = ray_1.step;
    @if(steps_2) step = min(step, ray_2.step);
    @if(steps_3) step = min(step, ray_3.step);
    @if(steps_4) step = min(step, ray_4.step);
    @if(steps_5) step = min(step, ray_5.step);
    @if(varying) step_length = step * ray_length;
    if (empty_until > at) {
      // Jumps in whole steps, so that skipping does not shift sample positions.
      at += step * max(1.0, ceil((empty_until - at) / step));
      continue;
    }
    // At equal depth, the top one is in front.
    @if(has_blocks_5) if ((images & 16u) != 0u) { ray_sample_image(4u, &ray_5, at, image_5, image_5); }
    @if(has_blocks_5) if ((labels & 16u) != 0u) { ray_sample_label(4u, &ray_5, at, image_5, image_5); }
    @if(has_bricks_5) if ((images & 16u) != 0u) { ray_sample_image(4u, &ray_5, at, image_5, atlas_5); }
    @if(has_bricks_5) if ((labels & 16u) != 0u) { ray_sample_label(4u, &ray_5, at, image_5, atlas_5); }
    @if(has_blocks_4) if ((images & 8u) != 0u) { ray_sample_image(3u, &ray_4, at, image_4, image_4); }
    @if(has_blocks_4) if ((labels & 8u) != 0u) { ray_sample_label(3u, &ray_4, at, image_4, image_4); }
    @if(has_bricks_4) if ((images & 8u) != 0u) { ray_sample_image(3u, &ray_4, at, image_4, atlas_4); }
    @if(has_bricks_4) if ((labels & 8u) != 0u) { ray_sample_label(3u, &ray_4, at, image_4, atlas_4); }
    @if(has_blocks_3) if ((images & 4u) != 0u) { ray_sample_image(2u, &ray_3, at, image_3, image_3); }
    @if(has_blocks_3) if ((labels & 4u) != 0u) { ray_sample_label(2u, &ray_3, at, image_3, image_3); }
    @if(has_bricks_3) if ((images & 4u) != 0u) { ray_sample_image(2u, &ray_3, at, image_3, atlas_3); }
    @if(has_bricks_3) if ((labels & 4u) != 0u) { ray_sample_label(2u, &ray_3, at, image_3, atlas_3); }
    @if(has_blocks_2) if ((images & 2u) != 0u) { ray_sample_image(1u, &ray_2, at, image_2, image_2); }
    @if(has_blocks_2) if ((labels & 2u) != 0u) { ray_sample_label(1u, &ray_2, at, image_2, image_2); }
    @if(has_bricks_2) if ((images & 2u) != 0u) { ray_sample_image(1u, &ray_2, at, image_2, atlas_2); }
    @if(has_bricks_2) if ((labels & 2u) != 0u) { ray_sample_label(1u, &ray_2, at, image_2, atlas_2); }
    @if(has_blocks_1) if ((images & 1u) != 0u) { ray_sample_image(0u, &ray_1, at, image_1, image_1); }
    @if(has_blocks_1) if ((labels & 1u) != 0u) { ray_sample_label(0u, &ray_1, at, image_1, image_1); }
    @if(has_bricks_1) if ((images & 1u) != 0u) { ray_sample_image(0u, &ray_1, at, image_1, atlas_1); }
    @if(has_bricks_1) if ((labels & 1u) != 0u) { ray_sample_label(0u, &ray_1, at, image_1, atlas_1); }
    @if(paged) if ((images & 1u) != 0u) { ray_sample_image(0u, &ray_1, at, filtered, filtered); }
    @if(paged) if ((labels & 1u) != 0u) { ray_sample_label(0u, &ray_1, at, filtered, filtered); }
    at += step;
  }
  @if(paged) paged_leave();
  @if(has_bricks_1) layer_leave(0u, &ray_1);
  @if(has_bricks_2) layer_leave(1u, &ray_2);
  @if(has_bricks_3) layer_leave(2u, &ray_3);
  @if(has_bricks_4) layer_leave(3u, &ray_4);
  @if(has_bricks_5) layer_leave(4u, &ray_5);
  @if(meshes) if (way == 2 || way == 5) {
    surfaces_until(never);
  }
  if (joint.a > 0.98) {
    joint = joint / joint.a;
  }
  var result = ray_blend(joint, 0u, ray_1);
  @if(volumes_2) result = ray_blend(result, 1u, ray_2);
  @if(volumes_3) result = ray_blend(result, 2u, ray_3);
  @if(volumes_4) result = ray_blend(result, 3u, ray_4);
  @if(volumes_5) result = ray_blend(result, 4u, ray_5);
  @if(meshes) if (way != 2 && way != 5) {
    joint = vec4f(0.0);
    surfaces_until(never);
    result = joint + (1.0 - joint.a) * result;
  }
  return result;
}

/// The part of a ray that no clip plane cuts away. @param least the smallest possible start
fn ray_clip(origin: vec3f, toward: vec3f, least: f32) -> vec2f {
  let plane = ray_before_plane(frame.clip_plane, origin, toward);
  let sides = ray_through(origin, toward, frame.clip_low, frame.clip_high);
  return vec2f(max(least, max(plane.x, sides.x)), min(plane.y, sides.y));
}

fn ray_meet(index: u32, origin: vec3f, toward: vec3f, shown: vec2f) -> Passage {
  let to_unit = frame.volumes[index].to_unit;
  var ray: Passage;
  ray.origin = (to_unit * vec4f(origin, 1.0)).xyz;
  ray.toward = (to_unit * vec4f(toward, 0.0)).xyz;
  let inside = ray_through(ray.origin, ray.toward, vec3f(0.0), frame.volumes[index].extent.xyz);
  ray.enter = max(shown.x, inside.x);
  ray.exit = min(shown.y, inside.y);
  // Meshes may be drawn without any visible volume. An invisible volume takes no samples.
  @if(meshes) ray.exit = select(-never, ray.exit, frame.volumes[index].look.y > 0.0);
  // The step of a volume that the ray misses does not count.
  let own_step = frame.volumes[index].march.x / length(ray.toward * frame.volumes[index].dims.xyz);
  ray.step = select(never, own_step, ray.enter < ray.exit);
  ray.leave = ray.enter;
  ray.leave_block = ray.enter;
  ray.is_empty = true;
  ray.extreme = select(missing_place, -missing_place, way == 3);
  ray.light = vec2f(1.0, 0.0);
  ray.unlit = 1.0;
  return ray;
}

/// Extends the path of a ray by a volume. @param path its start and end
fn ray_join(path: vec2f, ray: Passage) -> vec2f {
  if (ray.exit <= ray.enter) {
    return path;
  }
  return vec2f(min(path.x, ray.enter), max(path.y, ray.exit));
}

/// Blends the picture of a volume with the volumes below it.
fn ray_blend(under: vec4f, index: u32, ray: Passage) -> vec4f {
  let over = ray_result(index, ray);
  let blending = frame.volumes[index].look.z;
  let covered = over + (1.0 - over.a) * under;
  if (blending == 0.0) {
    return covered;
  }
  if (blending == 1.0) {
    return vec4f(min(over.rgb + under.rgb, vec3f(1.0)), covered.a);
  }
  return max(over, under);
}

/// The final colour of a volume that is drawn separately, premultiplied.
fn ray_result(index: u32, ray: Passage) -> vec4f {
  if (way == 2 || way == 5 || frame.volumes[index].window.w > 0.0) {
    return ray.color;
  }
  if (abs(ray.extreme) > no_place && ray.passed == 0.0) {
    // The ray met nothing visible.
    return vec4f(0.0);
  }
  let result = select(ray.extreme, ray.sum / max(ray.passed, 1e-30), way == 4);
  let fade = smoothstep(0.0, 0.12, clamp(result, 0.0, 1.0));
  let alpha = frame.volumes[index].look.y * max(frame.volumes[index].march.y, fade);
  return vec4f(ray_color(index, result).rgb * alpha, alpha);
}
