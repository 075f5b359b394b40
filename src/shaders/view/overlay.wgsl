// Draws a slice's crosshair, and over it the letters and the scale bar, which come as a picture of the canvas's size.
//
// A triangle covers the canvas; each fragment owns a pixel. Draw: 3 vertices, blended over the slice (premultiplied).
//
// Invariants
// 1. The crosshair leaves a gap around its voxel, so that it never hides what it points at.

struct Overlay {
  /// The crosshair's middle, in pixels.
  center: vec2f,
  /// Half the gap around it along x and y, in pixels; negative: no crosshair.
  gap: vec2f,
  /// Premultiplied.
  color: vec4f,
  /// The lines' thickness in pixels.
  thickness: f32,
}
@group(0) @binding(0) var<uniform> overlay: Overlay;
/// Premultiplied; as large as the canvas.
@group(0) @binding(1) var picture: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  return vec4f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn main(@builtin(position) pixel: vec4f) -> @location(0) vec4f {
  let above = textureLoad(picture, vec2i(pixel.xy), 0);
  let distance = abs(pixel.xy - overlay.center);
  let on_vertical = distance.x < overlay.thickness * 0.5 && distance.y > overlay.gap.y;
  let on_horizontal = distance.y < overlay.thickness * 0.5 && distance.x > overlay.gap.x;
  let line = overlay.gap.x >= 0.0 && (on_vertical || on_horizontal);
  let below = select(vec4f(0.0), overlay.color, line);
  return above + below * (1.0 - above.a);
}
