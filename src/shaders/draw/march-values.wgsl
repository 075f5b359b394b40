// Values of the volume of ray-march.wgsl, at positions in its cube: places in the window, labels, colours, and the light of their gradients.

@if(!paged) import package::draw::march_frame::volume;
@if(!paged) import package::draw::rays::{least_texel, ray_value};
@if(paged) import package::brick_draw::paged::{paged, paged_shown};
@if(paged) import package::brick_draw::paged_gradients::{paged_differences, paged_has_differences};
@if(paged) import package::brick_draw::paged_samples::paged_place;
@if(paged) import package::draw::march_frame::way;
import package::draw::march_frame::{frame, linear, transfer};
import package::draw::rays::{missing_place, no_place, ray_differences, ray_headlight};

/// Colour and opacity at a place in the window. If each value has its own colour, only the value 0 has the opacity of the window's low
/// end, however many values there are.
fn ray_color(place: f32) -> vec4f {
  let at = clamp(place, 0.0, 1.0) * 255.0;
  var entry: vec4f;
  if (frame.window.w == 0.0) {
    // Interpolates between two colours of the map, so that a wide window shows more than 256; in the middle of row 0.
    entry = textureSampleLevel(transfer, linear, vec2f((at + 0.5) / 256.0, 0.25), 0.0);
  } else {
    let label = ray_label(place);
    // Twin: labelColorIndex in src/renderer/viewer/colors/colormaps.ts.
    let category = select(1 + ((label - 1) % 255 + 255) % 255, 0, label == 0);
    let opacity = textureLoad(transfer, vec2i(select(max(i32(at + 0.5), 1), 0, label == 0), 0), 0).a;
    entry = vec4f(textureLoad(transfer, vec2i(category, 0), 0).rgb, opacity);
  }
  if (frame.below.w == 2.0 && place < -1e-4) {
    entry = vec4f(frame.below.rgb, entry.a);
  }
  if (frame.above.w == 2.0 && place > 1.0001) {
    entry = vec4f(frame.above.rgb, entry.a);
  }
  return entry;
}

/// The value at a place in the window, if values are labels.
fn ray_label(place: f32) -> i32 {
  return i32(round(place * frame.window.w + frame.look.w));
}

/// A position's place in the window; `missing_place` if the voxel is missing.
@if(paged) fn ray_place(position: vec3f) -> f32 {
  return paged_place(position, frame.window.w > 0.0);
}

/// The size of a texel in the cube.
@if(!paged) fn ray_texel() -> vec3f {
  return 1.0 / frame.dims.xyz;
}
@if(paged) fn ray_texel() -> vec3f {
  return paged.levels[paged_shown].factors / frame.dims.xyz;
}

@if(!paged) fn ray_place(position: vec3f) -> f32 {
  var texel: f32;
  if (frame.window.w > 0.0) {
    let nearest = clamp(vec3i(position * frame.dims.xyz), vec3i(0), vec3i(frame.dims.xyz) - 1);
    texel = ray_value(textureLoad(volume, nearest, 0));
  } else {
    texel = ray_value(textureSampleLevel(volume, linear, position, 0.0));
  }
  return select(ray_place_of(vec2f(texel)).x, missing_place, texel < least_texel);
}

@if(!paged) fn ray_place_of(texels: vec2f) -> vec2f {
  return (texels - frame.window.y) * frame.window.x;
}

/// An upper bound of the opacity within a range of places. Row 1 of the transfer texture holds, at 16 × low mark + high mark, the
/// maximum opacity between two of 16 marks.
fn ray_opacity_bound(range: vec2f) -> f32 {
  let low = i32(floor(range.x * 15.0));
  let high = i32(ceil(range.y * 15.0));
  return textureLoad(transfer, vec2i(16 * low + high, 1), 0).a;
}

/// The value whose gradient shades surfaces, of a place in the window: the place, or for labels 1 inside any label and 0 outside.
fn ray_solid(place: f32) -> f32 {
  // A missing voxel is below all others, but its huge difference must not dominate the gradient.
  let solid = select(clamp(place, -1e6, 1e6), -1.0, place <= -no_place);
  return select(solid, select(1.0, 0.0, ray_label(place) == 0), frame.window.w > 0.0);
}

/// A corner of the tetrahedron of `ray_differences`, in texels from its centre. @param corner 0…3
@if(paged) fn ray_corner(corner: u32) -> vec3f {
  return select(select(vec3f(-1.0), vec3f(1.0), vec3u(0u, 1u, 2u) == vec3u(corner)), vec3f(1.0), corner == 3u);
}

/// Whether `ray_light` takes no samples one by one. The last call of `ray_place` must have been for the same position.
@if(paged) fn ray_has_light() -> bool {
  return frame.window.w == 0.0 && paged_has_differences();
}

/// Light by the gradient: see `ray_headlight`. With `paged` and compositing, `ray_has_light` must hold.
/// @param soft the gradient of full shading, in windows per finest texel
fn ray_light(position: vec3f, toward: vec3f, soft: f32) -> vec2f {
  let texel = ray_texel();
  @if(!paged) {
    let right = ray_solid(ray_place(position + vec3f(texel.x, -texel.y, -texel.z)));
    let upper = ray_solid(ray_place(position + vec3f(-texel.x, texel.y, -texel.z)));
    let behind = ray_solid(ray_place(position + vec3f(-texel.x, -texel.y, texel.z)));
    let all_three = ray_solid(ray_place(position + texel));
    let differences = ray_differences(right, upper, behind, all_three);
    return ray_lit(differences, toward, soft);
  }
  @if(paged) {
    var differences = vec3f(0.0);
    if (way == 2 || ray_has_light()) {
      differences = paged_differences(position);
    } else {
      // A loop, because the code that samples other bricks is long.
      for (var corner = 0u; corner < 4u; corner++) {
        let side = ray_corner(corner);
        differences += 0.5 * side * ray_solid(ray_place(position + side * texel));
      }
    }
    return ray_lit(differences, toward, soft);
  }
}

/// @param differences between texels on either side, along x, y and z
fn ray_lit(differences: vec3f, toward: vec3f, soft: f32) -> vec2f {
  let texel = ray_texel();
  // The gradient per length in the scene, in units of the finest texel's length.
  let texel_length = frame.edges * texel;
  let finest = min(texel_length.x, min(texel_length.y, texel_length.z));
  let gradient = differences * finest / texel_length;
  return ray_headlight(gradient, normalize(toward * frame.edges), soft);
}
