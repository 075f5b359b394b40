// Draws a volume into any texture by ray-march.wgsl, which stands behind it, with no scene around: for the bench and tests.
//
// A triangle covers the target; each fragment marches the ray through its pixel's middle.
// Draw: 3 vertices, 1 instance.

struct Frame {
  /// From x and y of −1…1 on the target and a depth of 0…1 to the volume's unit cube.
  to_cube: mat4x4f,
  /// These are parameters of ray_march.
  eye: vec4f,
  dims: vec4f,
  window: vec4f,
  march: vec4f,
  look: vec4f,
  clip_plane: vec4f,
  edges: vec3f,
  clip_low: vec3f,
  clip_high: vec3f,
  below: vec4f,
  above: vec4f,
}
@group(0) @binding(0) var<uniform> frame: Frame;
/// One time point; see display-texture.ts.
@group(0) @binding(1) var volume: texture_3d<f32>;
@group(0) @binding(2) var volume_sampler: sampler;
/// 256 × 2 texels.
@group(0) @binding(3) var transfer: texture_2d<f32>;
@group(0) @binding(4) var bricks: texture_3d<f32>;

struct Corner {
  @builtin(position) pixel: vec4f,
  @location(0) place: vec2f,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Corner {
  let place = vec2f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
  return Corner(vec4f(place, 0.0, 1.0), place);
}

@fragment
fn main(corner: Corner) -> @location(0) vec4f {
  let beyond = frame.to_cube * vec4f(corner.place, 1.0, 1.0);
  return ray_march(
    beyond.xyz / beyond.w, frame.eye, volume, volume_sampler, transfer, bricks, frame.dims, frame.edges, frame.window,
    frame.march, frame.look, frame.clip_low, frame.clip_high, frame.clip_plane,
    frame.below, frame.above, corner.pixel.xy,
  );
}
