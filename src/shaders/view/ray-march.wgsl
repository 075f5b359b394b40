// Marches a ray through a volume in its unit cube: maximum intensity projection, or front-to-back compositing with a
// transfer function and a headlight. Called for each fragment of the cube's back faces, through three.js's `wgslFn`
// (src/renderer/viewer/volume-material.ts), which allows functions only and wants the called one first.
//
// Compositing: Levoy, 'Display of Surfaces from Volume Data' (1988), with early ray termination (Levoy 1990). Opacity is
// per reference length and corrected for the step, so that the picture does not change with the step.
//
// Bricks: `bricks` holds, for each block of 8³ or more texels, the least and the greatest texel in and around it. Blocks
// that cannot show are crossed in one go.
//
// Parameters of ray_march (here, because three.js cannot parse comments between them)
// exit, eye  where the ray leaves the cube, and the eye; both in the cube, 0…1
// transfer   256 × 2; row 0: colour and opacity by place in the window; row 1: see `ray_opacity_bound`
// bricks     x and y: least and greatest texel of each brick
// dims       texels along x, y, z; w: texels of a brick along each axis
// edges      the cube's edges in the scene, as lengths: gradients are physical
// window     place in the window = texel × x + y; z: 1 maximum intensity, 2 compositing; w: 0, or the window's width in
//            values where each value has a colour of its own
// march      x: texels per step; y: the most rounds; z: the reference length of opacity in the scene; w: 1 keeps the
//            floor of a maximum intensity projection opaque
// pixel      the fragment's pixel
//
// Invariants
// 1. The march ends: each round advances by at least half a step, and there are at most `march.y` rounds.
// 2. The result is premultiplied sRGB, ready to be blended over the background.

fn ray_march(
  exit: vec3f,
  eye: vec3f,
  volume: texture_3d<f32>,
  volume_sampler: sampler,
  transfer: texture_2d<f32>,
  bricks: texture_3d<f32>,
  dims: vec4f,
  edges: vec3f,
  window: vec4f,
  march: vec4f,
  pixel: vec2f,
) -> vec4f {
  let way = exit - eye;
  let toward = normalize(way);
  // Where the ray enters the cube; 0 when the eye is inside.
  let safe = select(toward, vec3f(1e-7), abs(toward) < vec3f(1e-7));
  let planes_a = (vec3f(0.0) - eye) / safe;
  let planes_b = (vec3f(1.0) - eye) / safe;
  let nearest = min(planes_a, planes_b);
  let farthest = max(planes_a, planes_b);
  let start = max(0.0, max(nearest.x, max(nearest.y, nearest.z)));
  let end = min(farthest.x, min(farthest.y, farthest.z));
  if (end <= start) {
    return vec4f(0.0);
  }
  let step = march.x / length(toward * dims.xyz);
  let step_length = step * length(toward * edges);
  let brick_size = vec3f(dims.w) / dims.xyz;
  let last_brick = vec3i(textureDimensions(bricks)) - 1;
  // The start is shifted by up to a step, differently for neighbouring pixels (interleaved gradient noise, Jimenez 2014),
  // so that steps do not show as rings.
  let noise = fract(52.9829189 * fract(dot(pixel, vec2f(0.06711056, 0.00583715))));
  var at = start + step * noise;
  var greatest = -1.0;
  var color = vec4f(0.0);
  let rounds = u32(march.y);
  for (var round = 0u; round < rounds && at < end; round++) {
    let position = eye + toward * at;
    let brick = clamp(vec3i(position / brick_size), vec3i(0), last_brick);
    let range = clamp(textureLoad(bricks, brick, 0).xy * window.x + window.y, vec2f(0.0), vec2f(1.0));
    var visible: bool;
    if (window.z < 1.5) {
      visible = range.y > greatest;
    } else {
      visible = ray_opacity_bound(transfer, range) > 0.0;
    }
    if (!visible) {
      // On to the brick's far side, in whole steps so that samples stay where they would have been.
      let low = vec3f(brick) * brick_size;
      let far = max((low - eye) / safe, (low + brick_size - eye) / safe);
      let leave = min(far.x, min(far.y, far.z));
      at += max(1.0, ceil((leave - at) / step)) * step;
      continue;
    }
    let place = ray_place(volume, volume_sampler, position, dims.xyz, window);
    if (window.z < 1.5) {
      greatest = max(greatest, place);
      if (greatest >= 1.0) {
        break;
      }
    } else {
      let entry = ray_color(transfer, place, window.w);
      if (entry.a > 0.0) {
        let alpha = 1.0 - pow(1.0 - min(entry.a, 0.9999), step_length / march.z);
        let light = ray_light(volume, volume_sampler, position, toward, dims.xyz, edges, window);
        color += (1.0 - color.a) * alpha * vec4f(min(entry.rgb * light.x + vec3f(light.y), vec3f(1.0)), 1.0);
        if (color.a > 0.98) {
          color = color / color.a;
          break;
        }
      }
    }
    at += step;
  }
  if (window.z < 1.5 && greatest >= 0.0) {
    let place = clamp(greatest, 0.0, 1.0);
    let rgb = ray_color(transfer, greatest, window.w).rgb;
    let alpha = max(march.w, smoothstep(0.0, 0.12, place));
    return vec4f(rgb * alpha, alpha);
  }
  return color;
}

/// Colour and opacity at a place in the window.
fn ray_color(transfer: texture_2d<f32>, place: f32, categories: f32) -> vec4f {
  let index = i32(clamp(place, 0.0, 1.0) * 255.0 + 0.5);
  let entry = textureLoad(transfer, vec2i(index, 0), 0);
  if (categories == 0.0) {
    return entry;
  }
  let value = i32(place * categories + 0.5);
  let category = select(1 + (value - 1) % 255, 0, value <= 0);
  return vec4f(textureLoad(transfer, vec2i(category, 0), 0).rgb, entry.a);
}

/// The place in the window of the volume at a position.
fn ray_place(volume: texture_3d<f32>, volume_sampler: sampler, position: vec3f, dims: vec3f, window: vec4f) -> f32 {
  if (window.w > 0.0) {
    let texel = clamp(vec3i(position * dims), vec3i(0), vec3i(dims) - 1);
    return textureLoad(volume, texel, 0).r * window.x + window.y;
  }
  return textureSampleLevel(volume, volume_sampler, position, 0.0).r * window.x + window.y;
}

/// The greatest opacity within a range of places: row 1 of the transfer texture holds, for the range between two of 16
/// marks, the greatest opacity, at 16 × low mark + high mark.
fn ray_opacity_bound(transfer: texture_2d<f32>, range: vec2f) -> f32 {
  let low = i32(floor(range.x * 15.0));
  let high = i32(ceil(range.y * 15.0));
  return textureLoad(transfer, vec2i(16 * low + high, 1), 0).a;
}

/// What surfaces are shaded by: the place in the window, or for categories whether there is one.
fn ray_solid(volume: texture_3d<f32>, volume_sampler: sampler, position: vec3f, dims: vec3f, window: vec4f) -> f32 {
  let place = ray_place(volume, volume_sampler, position, dims, window);
  return select(place, select(0.0, 1.0, place * window.w >= 0.5), window.w > 0.0);
}

/// Headlight by the gradient: x is what colours are multiplied by, y a highlight. Where there is no gradient, no shading.
fn ray_light(
  volume: texture_3d<f32>,
  volume_sampler: sampler,
  position: vec3f,
  toward: vec3f,
  dims: vec3f,
  edges: vec3f,
  window: vec4f,
) -> vec2f {
  let texel = 1.0 / dims;
  let x = vec3f(texel.x, 0.0, 0.0);
  let y = vec3f(0.0, texel.y, 0.0);
  let z = vec3f(0.0, 0.0, texel.z);
  let slope = vec3f(
    ray_solid(volume, volume_sampler, position + x, dims, window) - ray_solid(volume, volume_sampler, position - x, dims, window),
    ray_solid(volume, volume_sampler, position + y, dims, window) - ray_solid(volume, volume_sampler, position - y, dims, window),
    ray_solid(volume, volume_sampler, position + z, dims, window) - ray_solid(volume, volume_sampler, position - z, dims, window),
  );
  // Per scene length, in units of the finest texel's length.
  let texel_length = edges * texel;
  let finest = min(texel_length.x, min(texel_length.y, texel_length.z));
  let gradient = slope * finest / texel_length;
  let strength = length(gradient);
  if (strength < 1e-4) {
    return vec2f(1.2, 0.0);
  }
  let facing = abs(dot(gradient / strength, normalize(toward * edges)));
  let shaded = smoothstep(0.0, 0.12, strength);
  return mix(vec2f(1.2, 0.0), vec2f(0.35 + 1.1 * facing, 0.12 * pow(facing, 24.0)), shaded);
}
