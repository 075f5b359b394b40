// Draws a slice's crosshair and, over it, letters and the scale bar, which come as a picture of the canvas's size.
//
// A triangle covers the canvas; each fragment owns a pixel. Draw: 3 vertices, the first being 3 × the crosshair's voxel along the
// picture's down axis, and 1 instance, its voxel along the right axis. Blended over the slice (premultiplied).
//
// Invariants
// 1. The crosshair leaves a gap around its voxel, so that it never hides what it points at.

struct Overlay {
  /// The middle of voxel 0 along both axes, in pixels, and the pixels per voxel.
  center: vec2f,
  step: vec2f,
  /// Half the gap around the voxel along x and y, in pixels. Negative: no crosshair.
  gap: vec2f,
  /// Premultiplied.
  color: vec4f,
  /// The lines' thickness in pixels.
  thickness: f32,
}
@group(0) @binding(0) var<uniform> overlay: Overlay;
/// Premultiplied, as large as the canvas.
@group(0) @binding(1) var picture: texture_2d<f32>;

struct Corner {
  @builtin(position) pixel: vec4f,
  @location(0) @interpolate(flat, either) voxel: vec2u,
}

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32, @builtin(instance_index) instance_index: u32) -> Corner {
  let corner = vertex_index % 3u;
  let pixel = vec4f(f32(corner & 1u) * 4.0 - 1.0, f32(corner >> 1u) * 4.0 - 1.0, 0.0, 1.0);
  return Corner(pixel, vec2u(instance_index, vertex_index / 3u));
}

@fragment
fn main(corner: Corner) -> @location(0) vec4f {
  let above = textureLoad(picture, vec2i(corner.pixel.xy), 0);
  let center = overlay.center + overlay.step * vec2f(corner.voxel);
  let offset = corner.pixel.xy - center;
  let outside_gap = abs(offset) > overlay.gap;
  // One end is open, so that a line between two pixels covers one of them.
  let on_line = (offset > vec2f(-0.5 * overlay.thickness)) & (offset <= vec2f(0.5 * overlay.thickness));
  let line = overlay.gap.x >= 0.0 && ((on_line.x && outside_gap.y) || (on_line.y && outside_gap.x));
  let below = select(vec4f(0.0), overlay.color, line);
  return above + below * (1.0 - above.a);
}
