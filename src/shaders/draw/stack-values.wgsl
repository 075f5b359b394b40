// Values of the volumes of ray-stack.wgsl, at positions in their own cubes: places in the window, labels, colours, and the light of their
// gradients. The values of one volume are explained in ray-march.wgsl. With the condition `paged`, the values of volume 0 are those of the
// shown brick. With the condition `layer_bricks`, those of some layers come from bricks, too, where `Passage.entry` is not 0.

@if(paged) import package::brick_draw::paged::{paged, paged_end, paged_scale, paged_shown};
@if(paged) import package::brick_draw::paged_gradients::{paged_differences, paged_has_differences};
@if(paged) import package::brick_draw::paged_samples::{paged_place, paged_sampled, paged_voxel_place};
@if(layer_bricks) import package::brick_draw::layer_bricks::{layer_bricks, layer_is_constant};
@if(layer_bricks) import package::brick_draw::number_texels::{greatest_number, least_sample};
@if(layer_bricks) import package::draw::stack_layer_samples::{layer_corners, layer_texel, layer_voxel};
import package::draw::rays::{least_texel, missing_place, no_place, ray_differences, ray_headlight, ray_place_differences, ray_value};
import package::draw::stack_frame::{Passage, forwards, frame, linear, transfer};
@if(paged) import package::draw::stack_frame::way;

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
  return ray_label_at_place(index, ray_place_of(index, texel));
}

fn ray_label_at_place(index: u32, place: f32) -> i32 {
  return i32(round(place * frame.volumes[index].window.w + frame.volumes[index].look.w));
}

/// The place in the window of a texel of a layer's bricks; `missing_place` if the voxel is missing.
@if(layer_bricks) fn ray_brick_place(index: u32, texel: f32) -> f32 {
  let place = (max(texel, -greatest_number) - frame.volumes[index].march.w) * frame.volumes[index].march.z;
  return select(place, missing_place, texel < least_sample);
}

/// A position's place in the window; `missing_place` if the voxel is missing.
fn ray_place(index: u32, ray: ptr<function, Passage>, image: texture_3d<f32>, atlas: texture_3d<f32>, position: vec3f) -> f32 {
  @if(paged) if (index == 0u) {
    paged_sampled(position, position);
    return paged_place(position, false);
  }
  @if(layer_bricks) if ((*ray).entry != 0u) {
    return ray_brick_place(index, layer_texel(index, ray, position, frame.volumes[index].window.z > 0.5, atlas));
  }
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

fn ray_label(index: u32, ray: ptr<function, Passage>, image: texture_3d<f32>, atlas: texture_3d<f32>, position: vec3f) -> i32 {
  @if(paged) if (index == 0u) {
    return ray_label_at_place(index, paged_place(position, true));
  }
  @if(layer_bricks) if ((*ray).entry != 0u) {
    return ray_label_at_place(index, ray_brick_place(index, layer_texel(index, ray, position, true, atlas)));
  }
  return ray_label_of(index, ray_nearest(index, image, position));
}

/// Converts differences per texel to the gradient in the scene, per length of the finest texel.
fn ray_gradient(index: u32, ray: ptr<function, Passage>, differences: vec3f) -> vec3f {
  @if(paged) if (index == 0u) {
    let texel_length = frame.edges * paged.levels[paged_shown].factors / paged.dims;
    return differences * min(texel_length.x, min(texel_length.y, texel_length.z)) / texel_length;
  }
  var slopes = differences * frame.volumes[index].dims.xyz;
  var finest = frame.volumes[index].extent.w;
  @if(layer_bricks) if ((*ray).entry != 0u) {
    slopes = differences * (*ray).scale;
    finest = layer_bricks[index].levels[(*ray).level].scale.w;
  }
  let to_unit = frame.volumes[index].to_unit;
  let in_cube = vec3f(dot(to_unit[0].xyz, slopes), dot(to_unit[1].xyz, slopes), dot(to_unit[2].xyz, slopes));
  return in_cube * (finest / frame.edges);
}

fn ray_light(
  index: u32,
  ray: ptr<function, Passage>,
  image: texture_3d<f32>,
  atlas: texture_3d<f32>,
  position: vec3f,
  soft: f32,
) -> vec2f {
  var texel = 1.0 / frame.volumes[index].dims.xyz;
  @if(paged) if (index == 0u) {
    texel = 1.0 / paged_scale;
  }
  @if(layer_bricks) if ((*ray).entry != 0u) {
    texel = 1.0 / (*ray).scale;
  }
  var differences: vec3f;
  @if(!varying) {
    let right = ray_solid(index, ray, image, atlas, position + vec3f(texel.x, -texel.y, -texel.z));
    let upper = ray_solid(index, ray, image, atlas, position + vec3f(-texel.x, texel.y, -texel.z));
    let behind = ray_solid(index, ray, image, atlas, position + vec3f(-texel.x, -texel.y, texel.z));
    let all_three = ray_solid(index, ray, image, atlas, position + texel);
    differences = ray_differences(right, upper, behind, all_three);
  }
  @if(varying) var corner = 0u;
  // Compositing has just taken the sample at this position.
  @if(paged) if (index == 0u && way == 2 && paged_has_differences()) {
    differences = paged_differences(position);
    corner = 4u;
  }
  // Without interpolation, gradients are those of the nearest voxels.
  @if(layer_bricks) if ((*ray).entry != 0u && !layer_is_constant((*ray).entry) && frame.volumes[index].window.z < 0.5) {
    differences = ray_texel_differences(index, layer_corners(index, ray, position, atlas));
    corner = 4u;
  }
  @if(varying) {
    // A loop, because the code that samples bricks is long.
    for (; corner < 4u; corner++) {
      let side = select(select(vec3f(-1.0), vec3f(1.0), vec3u(0u, 1u, 2u) == vec3u(corner)), vec3f(1.0), corner == 3u);
      differences += 0.5 * side * ray_solid(index, ray, image, atlas, position + side * texel);
    }
  }
  return ray_headlight(ray_gradient(index, ray, differences), forwards, soft);
}

/// The differences of places, from texels of a layer's bricks: see `ray_differences`.
@if(layer_bricks) fn ray_texel_differences(index: u32, texels: vec4f) -> vec3f {
  let places = (max(texels, vec4f(-greatest_number)) - frame.volumes[index].march.w) * frame.volumes[index].march.z;
  return ray_place_differences(places, texels < vec4f(least_sample));
}

/// The value whose gradient shades an image's surfaces. A missing voxel is below all others, but must not dominate the gradient.
fn ray_solid(index: u32, ray: ptr<function, Passage>, image: texture_3d<f32>, atlas: texture_3d<f32>, position: vec3f) -> f32 {
  let place = ray_place(index, ray, image, atlas, position);
  return select(clamp(place, -1e6, 1e6), -1.0, place <= -no_place);
}

fn ray_texel_label(index: u32, ray: ptr<function, Passage>, image: texture_3d<f32>, atlas: texture_3d<f32>, texel: vec3i) -> i32 {
  @if(paged) if (index == 0u) {
    return ray_label_at_place(index, paged_voxel_place(texel));
  }
  @if(layer_bricks) if ((*ray).entry != 0u) {
    return ray_label_at_place(index, ray_brick_place(index, layer_voxel(index, ray, texel, atlas)));
  }
  return ray_label_of(index, ray_value(textureLoad(image, texel, 0)));
}

/// Light on a label's surface. @param label the label behind the surface; 0: any label
fn ray_label_light(
  index: u32,
  ray: ptr<function, Passage>,
  image: texture_3d<f32>,
  atlas: texture_3d<f32>,
  position: vec3f,
  label: i32,
) -> vec2f {
  var dims = frame.volumes[index].dims.xyz;
  var last = vec3i(dims) - 1;
  @if(paged) if (index == 0u) {
    dims = paged_scale;
    last = paged_end;
  }
  @if(layer_bricks) if ((*ray).entry != 0u) {
    dims = (*ray).scale;
    last = vec3i(layer_bricks[index].levels[(*ray).level].dims) - 1;
  }
  let first = floor(position * dims - 0.5);
  let part = position * dims - 0.5 - first;
  let rest = 1.0 - part;
  // Cubic B-splines at the four texels around the position along each axis, and their derivatives.
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
        let there = ray_texel_label(index, ray, image, atlas, clamp(vec3i(first) + vec3i(x, y, z) - 1, vec3i(0), last));
        if (select(there == label, there != 0, label == 0)) {
          let wx = weights[x].x;
          let wy = weights[y].y;
          let wz = weights[z].z;
          gradient += vec3f(slopes[x].x * wy * wz, wx * slopes[y].y * wz, wx * wy * slopes[z].z);
        }
      }
    }
  }
  return ray_headlight(ray_gradient(index, ray, gradient), forwards, 1e-3);
}
