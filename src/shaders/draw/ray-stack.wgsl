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
// Dispatch: ceil(width / tile_width) × ceil(rows / tile_height).
//
// Invariants
// 1. The march ends: each round advances by at least a step, and there are at most `most_rounds`.
// 2. Pixels are premultiplied sRGB, ready to be blended over the background.
// 3. No sample lies outside clip_low…clip_high or beyond clip_plane, or outside of its volume.

import package::draw::rays::{missing_place, no_place, ray_before_plane, ray_shift};
import package::draw::stack_boxes::ray_through;
import package::draw::stack_composite::ray_sample;
import package::draw::stack_frame::{Passage, forwards, frame, joint, never, ray_origin, ray_toward, step, step_length, way};
import package::draw::stack_skip::ray_look;
@if(paged) import package::brick_draw::paged_rays::paged_leave;
@if(paged) import package::brick_draw::paged_samples::filtered;
@if(paged) import package::draw::stack_bricks::{ray_begin_bricks, ray_look_bricks};
import package::draw::stack_values::ray_color;
import constants::{binding_shift, picture_binding};
@if(meshes) import package::draw::stack_surfaces::{surface_at, surface_end, surface_pixel, surface_take, surfaces_until};

const most_rounds = 65536u;

/// The rows of the strip, from its top.
@if(!halves) @group(0) @binding(picture_binding) var picture: texture_storage_2d<rgba8unorm, write>;
/// To be blended with other pictures (channel-blend.wgsl).
@if(halves) @group(0) @binding(picture_binding) var picture: texture_storage_2d<rgba16float, write>;
/// Each volume's texture, bricks and blocks, as in ray-march.wgsl.
@if(!paged) @group(0) @binding(4) var image_1: texture_3d<f32>;
@if(!paged) @group(0) @binding(5) var bricks_1: texture_3d<f32>;
@if(!paged) @group(0) @binding(6) var blocks_1: texture_3d<f32>;
@if(volumes_2) @group(0) @binding(7u + binding_shift) var image_2: texture_3d<f32>;
@if(volumes_2) @group(0) @binding(8u + binding_shift) var bricks_2: texture_3d<f32>;
@if(volumes_2) @group(0) @binding(9u + binding_shift) var blocks_2: texture_3d<f32>;
@if(volumes_3) @group(0) @binding(10u + binding_shift) var image_3: texture_3d<f32>;
@if(volumes_3) @group(0) @binding(11u + binding_shift) var bricks_3: texture_3d<f32>;
@if(volumes_3) @group(0) @binding(12u + binding_shift) var blocks_3: texture_3d<f32>;
@if(volumes_4) @group(0) @binding(13u + binding_shift) var image_4: texture_3d<f32>;
@if(volumes_4) @group(0) @binding(14u + binding_shift) var bricks_4: texture_3d<f32>;
@if(volumes_4) @group(0) @binding(15u + binding_shift) var blocks_4: texture_3d<f32>;
@if(volumes_5) @group(0) @binding(16u + binding_shift) var image_5: texture_3d<f32>;
@if(volumes_5) @group(0) @binding(17u + binding_shift) var bricks_5: texture_3d<f32>;
@if(volumes_5) @group(0) @binding(18u + binding_shift) var blocks_5: texture_3d<f32>;

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
  // From the start of the ray's first volume to the end of its last, in the smallest of their steps.
  var path = vec3f(never, -never, never);
  @if(volumes_2) path = ray_join(path, 1u, ray_2);
  @if(volumes_3) path = ray_join(path, 2u, ray_3);
  @if(volumes_4) path = ray_join(path, 3u, ray_4);
  @if(volumes_5) path = ray_join(path, 4u, ray_5);
  @if(paged) let layers_step = path.z;
  path = ray_join(path, 0u, ray_1);
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
  step = path.z;
  step_length = step * length(toward * frame.edges);
  @if(paged) {
    ray_begin_bricks(&ray_1, end, layers_step);
  }
  var at = path.x + step * min(ray_shift(pixel), 0.999 * (end - path.x) / step);
  for (var round = 0u; round < most_rounds && at < end; round++) {
    @if(meshes) if (surface_at <= at && (way == 2 || way == 5)) {
      surfaces_until(at);
    }
    @if(!paged) var empty_until = ray_look(0u, &ray_1, at, bricks_1, blocks_1);
    @if(paged) var empty_until = ray_look_bricks(&ray_1, at);
    @if(volumes_2) empty_until = min(empty_until, ray_look(1u, &ray_2, at, bricks_2, blocks_2));
    @if(volumes_3) empty_until = min(empty_until, ray_look(2u, &ray_3, at, bricks_3, blocks_3));
    @if(volumes_4) empty_until = min(empty_until, ray_look(3u, &ray_4, at, bricks_4, blocks_4));
    @if(volumes_5) empty_until = min(empty_until, ray_look(4u, &ray_5, at, bricks_5, blocks_5));
    if (empty_until > at) {
      // Jumps in whole steps, so that skipping does not shift sample positions.
      at += step * max(1.0, ceil((empty_until - at) / step));
      continue;
    }
    // At equal depth, the top one is in front.
    @if(volumes_5) ray_sample(4u, &ray_5, at, image_5);
    @if(volumes_4) ray_sample(3u, &ray_4, at, image_4);
    @if(volumes_3) ray_sample(2u, &ray_3, at, image_3);
    @if(volumes_2) ray_sample(1u, &ray_2, at, image_2);
    @if(!paged) ray_sample(0u, &ray_1, at, image_1);
    @if(paged) ray_sample(0u, &ray_1, at, filtered);
    at += step;
  }
  @if(paged) {
    paged_leave();
  }
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
  ray.leave = ray.enter;
  ray.leave_block = ray.enter;
  ray.is_empty = true;
  ray.extreme = select(missing_place, -missing_place, way == 3);
  ray.light = vec2f(1.0, 0.0);
  return ray;
}

/// Extends the path of a ray by a volume. @param path x and y: the start and end of the path; z: the step in t
fn ray_join(path: vec3f, index: u32, ray: Passage) -> vec3f {
  if (ray.exit <= ray.enter) {
    return path;
  }
  let own_step = frame.volumes[index].march.x / length(ray.toward * frame.volumes[index].dims.xyz);
  return vec3f(min(path.x, ray.enter), max(path.y, ray.exit), min(path.z, own_step));
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
