// Code shared by the ray marchers: ray-march.wgsl (one volume) and ray-stack.wgsl (several).

/// Texels below this are missing, or interpolated with a missing one.
const least_texel = -0.001;
/// The place in the window of a missing sample. The places of all other samples lie between −no_place and no_place.
const missing_place = -1e37;
const no_place = 9e36;

/// A texel's value. 16 bits are stored as a high byte in red and a low byte in green; otherwise green is 0. Filtering both filters
/// their sum.
fn ray_value(texel: vec4f) -> f32 {
  return texel.r + texel.g / 256.0;
}

/// A surface's colour, brightened as far as its hue allows, because the light shows the shape.
fn ray_surface_color(rgb: vec3f) -> vec3f {
  let brightest = max(rgb.r, max(rgb.g, rgb.b));
  return select(vec3f(0.9), rgb * (0.9 / max(brightest, 0.01)), brightest > 0.05);
}

/// The part of a step by which a ray's start is shifted: different for neighbouring pixels (interleaved gradient noise, Jimenez 2014),
/// so that steps do not show as rings. The shift depends on the pixel alone, so a still picture does not flicker.
fn ray_shift(pixel: vec2f) -> f32 {
  return fract(52.9829189 * fract(dot(pixel, vec2f(0.06711056, 0.00583715))));
}

/// The part of a ray, from x to y, on the side of a plane where xyz · position + w ≥ 0. Ends without a crossing are −1e30 and 1e30; both
/// are 1e30 if the ray is parallel to the plane and on its other side.
fn ray_before_plane(plane: vec4f, origin: vec3f, toward: vec3f) -> vec2f {
  let depth = dot(plane.xyz, origin) + plane.w;
  let rise = dot(plane.xyz, toward);
  let is_along = abs(rise) < 1e-7;
  let crossing = -depth / select(rise, 1.0, is_along);
  let entry = select(-1e30, select(crossing, select(-1e30, 1e30, depth < 0.0), is_along), is_along || rise > 0.0);
  return vec2f(entry, select(1e30, crossing, !is_along && rise < 0.0));
}

/// Light from the eye, by the gradient: x multiplies the colour, and y is added to it as a highlight. Without a gradient there is no
/// shading; from a gradient of `soft` on, shading is full.
fn ray_headlight(gradient: vec3f, forwards: vec3f, soft: f32) -> vec2f {
  let strength = length(gradient);
  if (strength < 1e-5) {
    return vec2f(1.2, 0.0);
  }
  let facing = abs(dot(gradient / strength, forwards));
  let shaded = smoothstep(0.0, soft, strength);
  return mix(vec2f(1.2, 0.0), vec2f(0.35 + 1.1 * facing, 0.12 * pow(facing, 24.0)), shaded);
}

/// The differences of values along x, y and z over two texels, each computed from the samples at all four corners of a tetrahedron.
fn ray_differences(right: f32, upper: f32, behind: f32, all_three: f32) -> vec3f {
  return 0.5 * vec3f(
    (right - upper) + (all_three - behind),
    (upper - right) + (all_three - behind),
    (behind - right) + (all_three - upper),
  );
}

/// The same for places at the corners: right, upper, behind, all three. A missing one is below all others, but must not dominate the gradient.
fn ray_place_differences(places: vec4f, are_missing: vec4<bool>) -> vec3f {
  let solids = select(clamp(places, vec4f(-1e6), vec4f(1e6)), vec4f(-1.0), are_missing);
  return ray_differences(solids.x, solids.y, solids.z, solids.w);
}
