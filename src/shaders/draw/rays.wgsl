// Code shared by the ray marchers: ray-march.wgsl (one volume) and ray-stack.wgsl (several).

/// Texels below this are missing, or blended with a missing one.
const least_texel = -0.001;
/// The place in the window of such a sample, and a bound below all other places.
const missing_place = -1e37;
const no_place = 9e36;

/// 16 bits are a high and a low byte, in red and green; otherwise green is 0. Filtering both filters their sum.
fn ray_value(texel: vec4f) -> f32 {
  return texel.r + texel.g / 256.0;
}

/// The colour of a surface at the full brightness of its hue, because the light shows the shape.
fn ray_surface_color(rgb: vec3f) -> vec3f {
  let brightest = max(rgb.r, max(rgb.g, rgb.b));
  return select(vec3f(0.9), rgb * (0.9 / max(brightest, 0.01)), brightest > 0.05);
}

/// Shifts a ray's start by a part of a step, differently for neighbouring pixels (interleaved gradient noise, Jimenez 2014), so
/// that steps do not show as rings. It depends on the pixel alone, so a still picture does not flicker.
fn ray_shift(pixel: vec2f) -> f32 {
  return fract(52.9829189 * fract(dot(pixel, vec2f(0.06711056, 0.00583715))));
}

/// The part of a ray on the side of a plane with xyz · position + w ≥ 0, from x to y. Ends without a crossing are −1e30 and 1e30; both
/// are 1e30 if the ray is parallel to the plane and on its other side.
fn ray_before_plane(plane: vec4f, origin: vec3f, toward: vec3f) -> vec2f {
  let depth = dot(plane.xyz, origin) + plane.w;
  let rise = dot(plane.xyz, toward);
  let is_along = abs(rise) < 1e-7;
  let crossing = -depth / select(rise, 1.0, is_along);
  let entry = select(-1e30, select(crossing, select(-1e30, 1e30, depth < 0.0), is_along), is_along || rise > 0.0);
  return vec2f(entry, select(1e30, crossing, !is_along && rise < 0.0));
}

/// A headlight by the gradient: x multiplies colours, y is a highlight. Without a gradient there is no shading; shading is full
/// from a gradient of `soft` on.
fn ray_headlight(gradient: vec3f, forwards: vec3f, soft: f32) -> vec2f {
  let strength = length(gradient);
  if (strength < 1e-5) {
    return vec2f(1.2, 0.0);
  }
  let facing = abs(dot(gradient / strength, forwards));
  let shaded = smoothstep(0.0, soft, strength);
  return mix(vec2f(1.2, 0.0), vec2f(0.35 + 1.1 * facing, 0.12 * pow(facing, 24.0)), shaded);
}

/// The differences along x, y and z between samples at the corners of a tetrahedron, each from four corners: twice a step apart.
fn ray_differences(right: f32, upper: f32, behind: f32, all_three: f32) -> vec3f {
  return 0.5 * vec3f(
    (right - upper) + (all_three - behind),
    (upper - right) + (all_three - behind),
    (behind - right) + (all_three - upper),
  );
}
