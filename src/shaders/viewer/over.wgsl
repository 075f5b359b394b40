// Draws the texture of the rays over the picture's background. The twin of the rectangle of src/renderer/viewer/space/ray-layer.ts,
// for pictures without a scene.
//
// A triangle covers the target; each fragment owns a pixel. Draw: 3 vertices. Blended over the target (premultiplied).
//
// Invariants
// 1. The texture is at least as large as the target, and its upper left corner is the target's.

/// Premultiplied.
@group(0) @binding(0) var picture: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) vertex_index: u32) -> @builtin(position) vec4f {
  return vec4f(f32(vertex_index & 1u) * 4.0 - 1.0, f32(vertex_index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn main(@builtin(position) pixel: vec4f) -> @location(0) vec4f {
  return textureLoad(picture, vec2i(pixel.xy), 0);
}
