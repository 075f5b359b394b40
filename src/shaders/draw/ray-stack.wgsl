// Marches a ray through up to five volumes at once, each with its own place, grid, window and colours: the open volume and the
// layers over it. ray-march.wgsl does the same for one volume, and explains projections, bricks and light.
//
// A position along the ray is given by t in origin + t × toward, in the unit cube of the open volume. The maps into the volumes'
// textures are linear, so t means the same position in each of them.
//
// Compositing and isosurfaces: at each step, volumes that are blended `over` are composited front to back together, so that they
// hide each other by depth; at equal depth the top one is in front. A volume that is added, or whose maximum is taken, is
// composited separately, and its picture is blended with the volumes below it in the list.
// Other projections: each volume is projected separately, and the pictures are blended.
// Labels are surfaces in all projections: each change of the number along a ray is a hit, with the opacity of the volume. Numbers are
// never blended. The normal is the gradient of the occupancy, smoothed by cubic B-splines over 4³ texels.
// A volume's opacity applies to the volume as a whole: behind an image of opacity 0.3, at least 0.7 of the rest is visible.
//
// With the condition `meshes`, rays also hit surfaces that mesh.wgsl has rasterised. In compositing and isosurfaces, surfaces and volumes
// that are blended `over` hide each other by depth, and no ray passes an opaque surface. Other projections have no depth: there
// surfaces are drawn over the result.
//
// Each volume has its own bricks, and its samples are skipped where it is empty. Where all volumes are empty, the ray jumps
// to the nearest brick's end in one step.
//
// Dispatch: ceil(width / tile_width) × ceil(rows / tile_height).
//
// Invariants
// 1. The march ends: each round advances by at least a step, and there are at most `most_rounds`.
// 2. Pixels are premultiplied sRGB, ready to be blended over the background.
// 3. No sample lies outside clip_low…clip_high or beyond clip_plane, or outside of its volume.

import package::draw::rays::{
  least_texel,
  missing_place,
  no_place,
  ray_before_plane,
  ray_differences,
  ray_headlight,
  ray_shift,
  ray_surface_color,
  ray_value,
};
/// How many volumes: 1 to 5. For the bindings also the conditions `volumes_2` to `volumes_5`.
import constants::volume_count;

struct Stack {
  /// As in `Frame` of ray-march.wgsl, in the unit cube of the open volume.
  to_cube: mat4x4f,
  eye: vec4f,
  clip_plane: vec4f,
  /// Lengths of the cube's edges in the scene.
  edges: vec3f,
  /// Without a limit where nothing is clipped: volumes may lie outside of the cube.
  clip_low: vec3f,
  clip_high: vec3f,
  /// In pixels: width and height of the whole picture, the strip's first row and its number of rows.
  strip: vec4f,
  /// x: the reference length of opacity in the scene; y: attenuation per unit length in the scene; z: 1: compositing is lit.
  look: vec4f,
  /// The lowest first.
  volumes: array<Volume, volume_count>,
}

struct Volume {
  /// Maps the open volume's cube to this texture's.
  to_unit: mat4x4f,
  /// Texels along x, y, z; w: texels of a brick along each axis.
  dims: vec4f,
  /// The end of the voxels in the texture's cube; w: the length of the finest texel in the scene.
  extent: vec4f,
  /// As in `Frame`; z: 1: the nearest texel is shown, without interpolation.
  window: vec4f,
  /// x: the isosurface's place in the window; y: opacity; z: blending: 0 over, 1 add, 2 maximum; w: the window's low end in values.
  look: vec4f,
  /// x: texels per step; y: 1 keeps the floor of a projection opaque.
  march: vec4f,
  /// As in `Frame`.
  below: vec4f,
  above: vec4f,
  /// x: its first row in `transfer`; of labels, y and z: the first number with a texel of its own, and how many there are.
  table: vec4f,
}

/// A volume along a ray.
struct Passage {
  origin: vec3f,
  toward: vec3f,
  /// Where the ray enters it, and leaves it for good.
  enter: f32,
  exit: f32,
  /// The end of the last checked brick and block, and whether nothing shows up to there.
  leave: f32,
  leave_block: f32,
  is_empty: bool,
  /// Over all samples so far: the least or greatest, the sum (when compositing: the opacity, if the volume's were 1), and their
  /// number.
  extreme: f32,
  sum: f32,
  count: f32,
  /// The picture of a volume that is drawn by itself, premultiplied.
  color: vec4f,
  light: vec2f,
  /// The label at the last sample; in an isosurface's volume 1 behind the surface.
  number: i32,
}

const most_rounds = 65536u;
const never = 1e30;
/// bricks-level.wgsl widens ranges by this.
const brick_margin = 1.0 / 1024.0;

/// See ray-march.wgsl.
override way: i32;

@group(0) @binding(0) var<uniform> frame: Stack;
@group(0) @binding(1) var linear: sampler;
/// 256 texels wide. For an image two rows, as in ray-march.wgsl. For labels the colours of all numbers that the texture can hold,
/// row after row, or one row with the palette if those are too many. Alpha is 0 where a label is not shown.
@group(0) @binding(2) var transfer: texture_2d<f32>;
/// The strip's rows from its top.
@group(0) @binding(3) var picture: texture_storage_2d<rgba8unorm, write>;
/// As in ray-march.wgsl, for each volume.
@group(0) @binding(4) var image_1: texture_3d<f32>;
@group(0) @binding(5) var bricks_1: texture_3d<f32>;
@group(0) @binding(6) var blocks_1: texture_3d<f32>;
@if(volumes_2) @group(0) @binding(7) var image_2: texture_3d<f32>;
@if(volumes_2) @group(0) @binding(8) var bricks_2: texture_3d<f32>;
@if(volumes_2) @group(0) @binding(9) var blocks_2: texture_3d<f32>;
@if(volumes_3) @group(0) @binding(10) var image_3: texture_3d<f32>;
@if(volumes_3) @group(0) @binding(11) var bricks_3: texture_3d<f32>;
@if(volumes_3) @group(0) @binding(12) var blocks_3: texture_3d<f32>;
@if(volumes_4) @group(0) @binding(13) var image_4: texture_3d<f32>;
@if(volumes_4) @group(0) @binding(14) var bricks_4: texture_3d<f32>;
@if(volumes_4) @group(0) @binding(15) var blocks_4: texture_3d<f32>;
@if(volumes_5) @group(0) @binding(16) var image_5: texture_3d<f32>;
@if(volumes_5) @group(0) @binding(17) var bricks_5: texture_3d<f32>;
@if(volumes_5) @group(0) @binding(18) var blocks_5: texture_3d<f32>;

/// The surfaces that rays hit: see mesh.wgsl. Layer 0 holds the opaque surface, the others the translucent ones in front of it, the nearest first.
@if(meshes) @group(0) @binding(4u + 3u * volume_count) var surfaces: texture_2d_array<u32>;

/// Pixels per workgroup.
override tile_width: u32 = 8u;
override tile_height: u32 = 4u;

/// The colour so far of the volumes that are composited together, premultiplied.
var<private> joint: vec4f;
/// The ray's direction in the scene.
var<private> forwards: vec3f;
/// The ray in the open volume's cube.
var<private> ray_origin: vec3f;
var<private> ray_toward: vec3f;
/// The next surface: its layer, ray parameter and colour. There is none if the parameter is `never`.
@if(meshes) var<private> surface_layer: i32;
@if(meshes) var<private> surface_at: f32;
@if(meshes) var<private> surface_color: vec4f;
@if(meshes) var<private> surface_pixel: vec2i;
/// The distance between samples: in t, and in the scene.
var<private> step: f32;
var<private> step_length: f32;

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
  // From the first volume on the way to the end of the last, with the smallest of their steps.
  var path = vec3f(never, -never, never);
  path = ray_join(path, 0u, ray_1);
  @if(volumes_2) path = ray_join(path, 1u, ray_2);
  @if(volumes_3) path = ray_join(path, 2u, ray_3);
  @if(volumes_4) path = ray_join(path, 3u, ray_4);
  @if(volumes_5) path = ray_join(path, 4u, ray_5);
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
  var at = path.x + step * min(ray_shift(pixel), 0.999 * (end - path.x) / step);
  for (var round = 0u; round < most_rounds && at < end; round++) {
    @if(meshes) if (surface_at <= at && (way == 2 || way == 5)) {
      surfaces_until(at);
    }
    var empty_until = ray_look(0u, &ray_1, at, bricks_1, blocks_1);
    @if(volumes_2) empty_until = min(empty_until, ray_look(1u, &ray_2, at, bricks_2, blocks_2));
    @if(volumes_3) empty_until = min(empty_until, ray_look(2u, &ray_3, at, bricks_3, blocks_3));
    @if(volumes_4) empty_until = min(empty_until, ray_look(3u, &ray_4, at, bricks_4, blocks_4));
    @if(volumes_5) empty_until = min(empty_until, ray_look(4u, &ray_5, at, bricks_5, blocks_5));
    if (empty_until > at) {
      // In whole steps, so that samples stay on their positions.
      at += step * max(1.0, ceil((empty_until - at) / step));
      continue;
    }
    // At equal depth, the top one is in front.
    @if(volumes_5) ray_sample(4u, &ray_5, at, image_5);
    @if(volumes_4) ray_sample(3u, &ray_4, at, image_4);
    @if(volumes_3) ray_sample(2u, &ray_3, at, image_3);
    @if(volumes_2) ray_sample(1u, &ray_2, at, image_2);
    ray_sample(0u, &ray_1, at, image_1);
    at += step;
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

/// The ray parameter of the opaque surface.
@if(meshes) fn surface_end() -> f32 {
  return bitcast<f32>(textureLoad(surfaces, surface_pixel, 0, 0).y);
}

/// Takes the surface of a layer as the next one. If the ray hits no further translucent surface, the opaque one is next.
@if(meshes) fn surface_take(layer: i32) {
  surface_layer = select(layer, 0, layer >= i32(textureNumLayers(surfaces)));
  var texel = textureLoad(surfaces, surface_pixel, surface_layer, 0);
  if (surface_layer > 0 && bitcast<f32>(texel.y) >= never) {
    surface_layer = 0;
    texel = textureLoad(surfaces, surface_pixel, 0, 0);
  }
  surface_at = bitcast<f32>(texel.y);
  surface_color = unpack4x8unorm(texel.x);
}

/// Composites all surfaces up to a ray parameter behind the colour so far.
@if(meshes) fn surfaces_until(at: f32) {
  while (surface_at < never && surface_at <= at) {
    joint += (1.0 - joint.a) * surface_color.a * vec4f(surface_color.rgb, 1.0);
    if (surface_layer == 0) {
      surface_at = never;
    } else {
      surface_take(surface_layer + 1);
    }
  }
}

/// The part of a ray that no clip plane cuts away. @param least the smallest possible start
fn ray_clip(origin: vec3f, toward: vec3f, least: f32) -> vec2f {
  let plane = ray_before_plane(frame.clip_plane, origin, toward);
  let sides = ray_through(origin, toward, frame.clip_low, frame.clip_high);
  return vec2f(max(least, max(plane.x, sides.x)), min(plane.y, sides.y));
}

/// Where a ray enters and leaves a box.
fn ray_through(origin: vec3f, toward: vec3f, low: vec3f, high: vec3f) -> vec2f {
  let nearest = ray_nearest_sides(origin, toward, low, high);
  let safe = ray_safe(toward);
  let farthest = max((low - origin) / safe, (high - origin) / safe);
  return vec2f(max(nearest.x, max(nearest.y, nearest.z)), min(farthest.x, min(farthest.y, farthest.z)));
}

/// Where a ray enters the space between each pair of opposite sides of a box.
fn ray_nearest_sides(origin: vec3f, toward: vec3f, low: vec3f, high: vec3f) -> vec3f {
  let safe = ray_safe(toward);
  return min((low - origin) / safe, (high - origin) / safe);
}

fn ray_safe(toward: vec3f) -> vec3f {
  return select(toward, vec3f(1e-7), abs(toward) < vec3f(1e-7));
}

fn ray_meet(index: u32, origin: vec3f, toward: vec3f, shown: vec2f) -> Passage {
  let to_unit = frame.volumes[index].to_unit;
  var ray: Passage;
  ray.origin = (to_unit * vec4f(origin, 1.0)).xyz;
  ray.toward = (to_unit * vec4f(toward, 0.0)).xyz;
  let inside = ray_through(ray.origin, ray.toward, vec3f(0.0), frame.volumes[index].extent.xyz);
  ray.enter = max(shown.x, inside.x);
  ray.exit = min(shown.y, inside.y);
  // Meshes may be drawn without any visible volume. Then the only volume takes no samples.
  @if(meshes) ray.exit = select(-never, ray.exit, frame.volumes[index].look.y > 0.0);
  ray.leave = ray.enter;
  ray.leave_block = ray.enter;
  ray.is_empty = true;
  ray.extreme = select(missing_place, -missing_place, way == 3);
  ray.light = vec2f(1.0, 0.0);
  return ray;
}

/// @param path x and y: its start and end; z: the step in t
fn ray_join(path: vec3f, index: u32, ray: Passage) -> vec3f {
  if (ray.exit <= ray.enter) {
    return path;
  }
  let own_step = frame.volumes[index].march.x / length(ray.toward * frame.volumes[index].dims.xyz);
  return vec3f(min(path.x, ray.enter), max(path.y, ray.exit), min(path.z, own_step));
}

/// Whether a volume is composited together with others.
fn ray_is_joint(index: u32) -> bool {
  return (way == 2 || way == 5) && frame.volumes[index].look.z == 0.0;
}

/// Finds whether the volume is visible at `at`. @returns the end of the empty range; less than `at` if the volume is visible there
fn ray_look(index: u32, ray: ptr<function, Passage>, at: f32, bricks: texture_3d<f32>, blocks: texture_3d<f32>) -> f32 {
  if (at >= (*ray).exit || (joint.a > 0.98 && ray_is_joint(index))) {
    (*ray).is_empty = true;
    return never;
  }
  if (at < (*ray).enter) {
    return (*ray).enter;
  }
  if (at >= (*ray).leave) {
    let dims = frame.volumes[index].dims;
    let position = clamp((*ray).origin + (*ray).toward * at, vec3f(0.0), vec3f(0.999999));
    let safe = ray_safe((*ray).toward);
    (*ray).is_empty = false;
    for (var level = select(0, 1, at >= (*ray).leave_block); level >= 0 && !(*ray).is_empty; level--) {
      let size = vec3f(dims.w * select(1.0, 4.0, level == 1)) / dims.xyz;
      let cell = vec3i(position / size);
      let far = max((vec3f(cell) * size - (*ray).origin) / safe, (vec3f(cell + 1) * size - (*ray).origin) / safe);
      (*ray).leave = min((*ray).exit, min(far.x, min(far.y, far.z)));
      var texels: vec2f;
      if (level == 1) {
        (*ray).leave_block = (*ray).leave;
        texels = textureLoad(blocks, cell, 0).xy;
      } else {
        texels = textureLoad(bricks, cell, 0).xy;
      }
      (*ray).is_empty = ray_shows_nothing(index, ray, texels);
    }
  }
  return select(-never, (*ray).leave, (*ray).is_empty);
}

/// @param texels the least and greatest texel
fn ray_shows_nothing(index: u32, ray: ptr<function, Passage>, texels: vec2f) -> bool {
  let window = frame.volumes[index].window;
  if (window.w > 0.0) {
    // Half floats near 0 are fine enough to take the margin away.
    let low = ray_label_of(index, texels.x + brick_margin);
    let high = ray_label_of(index, texels.y - brick_margin);
    if (low == 0 && high == 0) {
      (*ray).number = 0;
      return true;
    }
    // Inside a label there is no surface. Half floats tell few labels apart.
    return low == high && low == (*ray).number && window.x * window.w < 500.0;
  }
  let ends = vec2f(ray_place_of(index, texels.x), ray_place_of(index, texels.y));
  let values = vec2f(min(ends.x, ends.y), max(ends.x, ends.y));
  let below = frame.volumes[index].below.w;
  let above = frame.volumes[index].above.w;
  if (texels.y < least_texel) {
    (*ray).number = 0;
    return true;
  }
  let is_hidden = way != 5 && ((below == 1.0 && values.y < 0.0) || (above == 1.0 && values.x > 1.0));
  switch (way) {
    case 1: { return is_hidden || values.y <= (*ray).extreme; }
    case 2: { return is_hidden || ray_opacity_bound(index, clamp(values, vec2f(0.0), vec2f(1.0))) <= 0.0; }
    case 3: { return is_hidden || values.x >= (*ray).extreme; }
    case 5: {
      if (values.y < frame.volumes[index].look.x) {
        (*ray).number = 0;
        return true;
      }
      return false;
    }
    case 6: {
      if (!is_hidden && values.y <= 0.0) {
        (*ray).extreme = max((*ray).extreme, 0.0);
        return true;
      }
      return is_hidden;
    }
    // The mean counts the background.
    default: { return is_hidden; }
  }
}

/// Takes the sample of a volume at `at`, if it is visible there.
fn ray_sample(index: u32, ray: ptr<function, Passage>, at: f32, image: texture_3d<f32>) {
  if ((*ray).is_empty || at < (*ray).enter || at >= (*ray).exit) {
    return;
  }
  if (frame.volumes[index].window.w > 0.0) {
    ray_sample_label(index, ray, at, image);
  } else {
    ray_sample_image(index, ray, at, image);
  }
}

fn ray_sample_image(index: u32, ray: ptr<function, Passage>, at: f32, image: texture_3d<f32>) {
  let position = (*ray).origin + (*ray).toward * at;
  let place = ray_place(index, image, position);
  let below = frame.volumes[index].below.w;
  let above = frame.volumes[index].above.w;
  if (place <= -no_place || (way != 5 && ((below == 1.0 && place < -1e-4) || (above == 1.0 && place > 1.0001)))) {
    return;
  }
  let opacity = frame.volumes[index].look.y;
  switch (way) {
    case 1: {
      (*ray).extreme = max((*ray).extreme, place);
      if ((*ray).extreme > select(0.9999, 1.0001, above == 2.0)) {
        (*ray).exit = at;
      }
    }
    case 2: {
      let color = ray_color(index, place);
      if (color.a > 0.0) {
        let full = 1.0 - pow(1.0 - min(color.a, 0.9999), step_length / frame.look.x);
        let before = (*ray).sum;
        if (frame.look.z > 0.5 && before < 0.9 && joint.a < 0.9) {
          (*ray).light = ray_light(index, image, position, 0.12);
        }
        // Alone, the volume would have `opacity` times its coverage at full opacity.
        let alpha = opacity * (1.0 - before) * full / (1.0 - opacity * before);
        (*ray).sum = before + (1.0 - before) * full;
        ray_put(index, ray, at, min(color.rgb * (*ray).light.x + vec3f((*ray).light.y), vec3f(1.0)), alpha);
        if ((*ray).sum > 0.98) {
          (*ray).exit = at;
        }
      }
    }
    case 3: {
      (*ray).extreme = min((*ray).extreme, place);
      if ((*ray).extreme < select(1e-4, -1e-4, below == 2.0)) {
        (*ray).exit = at;
      }
    }
    case 4: {
      (*ray).sum += clamp(place, 0.0, 1.0);
      (*ray).count += 1.0;
    }
    case 5: {
      let level = frame.volumes[index].look.x;
      if (place < level) {
        (*ray).number = 0;
      } else if ((*ray).number == 0) {
        (*ray).number = 1;
        var outside = max((*ray).enter, at - step);
        var inside = at;
        for (var halving = 0; halving < 6; halving++) {
          // The first round takes the whole step: where the ray enters above the level, there is nothing to bisect.
          let middle = select(0.5 * (outside + inside), outside, halving == 0);
          if (ray_place(index, image, (*ray).origin + (*ray).toward * middle) >= level) {
            inside = middle;
          } else {
            outside = middle;
          }
        }
        let hit = (*ray).origin + (*ray).toward * inside;
        if (inside == (*ray).enter) {
          // A cut shows the values themselves.
          ray_put(index, ray, at, ray_color(index, ray_place(index, image, hit)).rgb * ray_cut_light(index, ray), opacity);
        } else {
          let light = ray_light(index, image, hit, 1e-3);
          let rgb = ray_surface_color(ray_color(index, level).rgb);
          ray_put(index, ray, at, min(rgb * light.x * 0.72 + vec3f(light.y), vec3f(1.0)), opacity);
        }
      }
    }
    default: {
      let shown = clamp(place, 0.0, 1.0);
      (*ray).extreme = max((*ray).extreme, shown * exp(-frame.look.y * (*ray).sum));
      (*ray).sum += shown * step_length;
      // Nothing further behind can be brighter.
      if (exp(-frame.look.y * (*ray).sum) <= (*ray).extreme) {
        (*ray).exit = at;
      }
    }
  }
}

fn ray_sample_label(index: u32, ray: ptr<function, Passage>, at: f32, image: texture_3d<f32>) {
  let label = ray_label(index, image, (*ray).origin + (*ray).toward * at);
  let before = (*ray).number;
  (*ray).number = label;
  if (label == before || label == 0) {
    return;
  }
  let color = ray_label_color(index, label);
  if (color.a <= 0.0) {
    return;
  }
  var outside = max((*ray).enter, at - step);
  var inside = at;
  for (var halving = 0; halving < 6; halving++) {
    let middle = select(0.5 * (outside + inside), outside, halving == 0);
    if (ray_label(index, image, (*ray).origin + (*ray).toward * middle) == label) {
      inside = middle;
    } else {
      outside = middle;
    }
  }
  var light = vec2f(1.25, 0.0);
  if (inside == (*ray).enter) {
    light.x = 1.25 * ray_cut_light(index, ray);
  } else if (way != 2 || frame.look.z > 0.5) {
    light = ray_label_light(index, image, (*ray).origin + (*ray).toward * inside, select(label, 0, before == 0));
  }
  ray_put(index, ray, at, min(color.rgb * light.x * 0.8 + vec3f(light.y), vec3f(1.0)), color.a * frame.volumes[index].look.y);
}

/// The brightness of the flat face through which the ray enters a volume: the volume's own side, or a clip plane.
fn ray_cut_light(index: u32, ray: ptr<function, Passage>) -> f32 {
  let own = ray_nearest_sides((*ray).origin, (*ray).toward, vec3f(0.0), frame.volumes[index].extent.xyz);
  let clip = ray_nearest_sides(ray_origin, ray_toward, frame.clip_low, frame.clip_high);
  let enter = (*ray).enter;
  var normal = vec3f(0.0);
  if (ray_before_plane(frame.clip_plane, ray_origin, ray_toward).x == enter) {
    normal = frame.clip_plane.xyz;
  } else if (any(clip == vec3f(enter))) {
    normal = ray_first_axis(clip == vec3f(enter));
  } else if (any(own == vec3f(enter))) {
    // Planes of the texture's cube, seen from the other cube.
    let axis = ray_first_axis(own == vec3f(enter));
    let to_unit = frame.volumes[index].to_unit;
    normal = vec3f(dot(to_unit[0].xyz, axis), dot(to_unit[1].xyz, axis), dot(to_unit[2].xyz, axis));
  } else {
    // The eye is inside.
    return 1.0;
  }
  return mix(0.75, 1.0, abs(dot(forwards, normalize(normal / frame.edges))));
}

fn ray_first_axis(is_axis: vec3<bool>) -> vec3f {
  return select(select(vec3f(0.0, 0.0, 1.0), vec3f(0.0, 1.0, 0.0), is_axis.y), vec3f(1.0, 0.0, 0.0), is_axis.x);
}

/// Composites a colour behind the colour so far.
fn ray_put(index: u32, ray: ptr<function, Passage>, at: f32, rgb: vec3f, alpha: f32) {
  let color = alpha * vec4f(rgb, 1.0);
  if (ray_is_joint(index)) {
    joint += (1.0 - joint.a) * color;
    return;
  }
  (*ray).color += (1.0 - (*ray).color.a) * color;
  if ((*ray).color.a > 0.98) {
    (*ray).color = (*ray).color / (*ray).color.a;
    (*ray).exit = at;
  }
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
  if (abs(ray.extreme) > no_place && ray.count == 0.0) {
    // Nothing visible was met.
    return vec4f(0.0);
  }
  let result = select(ray.extreme, ray.sum / max(ray.count, 1.0), way == 4);
  let fade = smoothstep(0.0, 0.12, clamp(result, 0.0, 1.0));
  let alpha = frame.volumes[index].look.y * max(frame.volumes[index].march.y, fade);
  return vec4f(ray_color(index, result).rgb * alpha, alpha);
}

/// Colour and opacity at a place in the window of an image.
fn ray_color(index: u32, place: f32) -> vec4f {
  let at = clamp(place, 0.0, 1.0) * 255.0;
  let row = (frame.volumes[index].table.x + 0.5) / f32(textureDimensions(transfer).y);
  var entry = textureSampleLevel(transfer, linear, vec2f((at + 0.5) / 256.0, row), 0.0);
  let below = frame.volumes[index].below;
  let above = frame.volumes[index].above;
  if (below.w == 2.0 && place < -1e-4) {
    entry = vec4f(below.rgb, entry.a);
  }
  if (above.w == 2.0 && place > 1.0001) {
    entry = vec4f(above.rgb, entry.a);
  }
  return entry;
}

fn ray_label_color(index: u32, label: i32) -> vec4f {
  let table = vec3i(frame.volumes[index].table.xyz);
  if (table.z > 0) {
    let entry = clamp(label - table.y, 0, table.z - 1);
    return textureLoad(transfer, vec2i(entry & 255, table.x + (entry >> 8)), 0);
  }
  // Twin: labelColorIndex in src/renderer/viewer/colors/colormaps.ts.
  let category = select(1 + ((label - 1) % 255 + 255) % 255, 0, label == 0);
  return textureLoad(transfer, vec2i(category, table.x), 0);
}

fn ray_opacity_bound(index: u32, range: vec2f) -> f32 {
  let low = i32(floor(range.x * 15.0));
  let high = i32(ceil(range.y * 15.0));
  return textureLoad(transfer, vec2i(16 * low + high, i32(frame.volumes[index].table.x) + 1), 0).a;
}

fn ray_place_of(index: u32, texel: f32) -> f32 {
  return (texel - frame.volumes[index].window.y) * frame.volumes[index].window.x;
}

fn ray_label_of(index: u32, texel: f32) -> i32 {
  return i32(round(ray_place_of(index, texel) * frame.volumes[index].window.w + frame.volumes[index].look.w));
}

/// A position's place in the window; `missing_place` if the voxel is missing.
fn ray_place(index: u32, image: texture_3d<f32>, position: vec3f) -> f32 {
  var texel: f32;
  if (frame.volumes[index].window.z > 0.5) {
    texel = ray_nearest(index, image, position);
  } else {
    texel = ray_value(textureSampleLevel(image, linear, position, 0.0));
  }
  return select(ray_place_of(index, texel), missing_place, texel < least_texel);
}

fn ray_nearest(index: u32, image: texture_3d<f32>, position: vec3f) -> f32 {
  let dims = frame.volumes[index].dims.xyz;
  return ray_value(textureLoad(image, clamp(vec3i(position * dims), vec3i(0), vec3i(dims) - 1), 0));
}

fn ray_label(index: u32, image: texture_3d<f32>, position: vec3f) -> i32 {
  return ray_label_of(index, ray_nearest(index, image, position));
}

/// Converts differences per texel to the gradient in the scene, per length of the finest texel.
fn ray_gradient(index: u32, differences: vec3f) -> vec3f {
  let slopes = differences * frame.volumes[index].dims.xyz;
  let to_unit = frame.volumes[index].to_unit;
  let in_cube = vec3f(dot(to_unit[0].xyz, slopes), dot(to_unit[1].xyz, slopes), dot(to_unit[2].xyz, slopes));
  return in_cube * (frame.volumes[index].extent.w / frame.edges);
}

fn ray_light(index: u32, image: texture_3d<f32>, position: vec3f, soft: f32) -> vec2f {
  let texel = 1.0 / frame.volumes[index].dims.xyz;
  let right = ray_solid(index, image, position + vec3f(texel.x, -texel.y, -texel.z));
  let upper = ray_solid(index, image, position + vec3f(-texel.x, texel.y, -texel.z));
  let behind = ray_solid(index, image, position + vec3f(-texel.x, -texel.y, texel.z));
  let all_three = ray_solid(index, image, position + texel);
  return ray_headlight(ray_gradient(index, ray_differences(right, upper, behind, all_three)), forwards, soft);
}

/// The value whose gradient shades an image's surfaces. A missing voxel is below all others, but must not become a wall of light.
fn ray_solid(index: u32, image: texture_3d<f32>, position: vec3f) -> f32 {
  let place = ray_place(index, image, position);
  return select(clamp(place, -1e6, 1e6), -1.0, place <= -no_place);
}

/// Light on a label's surface. @param label the label behind the surface; 0: any label
fn ray_label_light(index: u32, image: texture_3d<f32>, position: vec3f, label: i32) -> vec2f {
  let dims = frame.volumes[index].dims.xyz;
  let first = floor(position * dims - 0.5);
  let part = position * dims - 0.5 - first;
  let rest = 1.0 - part;
  // Cubic B-splines at the four texels around the position, and their derivatives.
  var weights = array(
    rest * rest * rest / 6.0,
    (3.0 * part * part * (part - 2.0) + 4.0) / 6.0,
    (3.0 * rest * rest * (rest - 2.0) + 4.0) / 6.0,
    part * part * part / 6.0,
  );
  var slopes = array(-0.5 * rest * rest, 0.5 * part * (3.0 * part - 4.0), -0.5 * rest * (3.0 * rest - 4.0), 0.5 * part * part);
  var gradient = vec3f(0.0);
  for (var z = 0; z < 4; z++) {
    for (var y = 0; y < 4; y++) {
      for (var x = 0; x < 4; x++) {
        let texel = clamp(vec3i(first) + vec3i(x, y, z) - 1, vec3i(0), vec3i(dims) - 1);
        let there = ray_label_of(index, ray_value(textureLoad(image, texel, 0)));
        if (select(there == label, there != 0, label == 0)) {
          let wx = weights[x].x;
          let wy = weights[y].y;
          let wz = weights[z].z;
          gradient += vec3f(slopes[x].x * wy * wz, wx * slopes[y].y * wz, wx * wy * slopes[z].z);
        }
      }
    }
  }
  return ray_headlight(ray_gradient(index, gradient), forwards, 1e-3);
}
