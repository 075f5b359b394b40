// Draws a volume into any texture by ray-march.wgsl, which stands behind it, with no scene around: for the bench and tests.
//
// `vertex` and `fragment`: a triangle covers the target; each fragment marches the ray through its pixel's middle.
// Draw: 3 vertices, 1 instance.
// `main`: each invocation does so for a pixel of a storage texture. Dispatch: ceil(width / 8) × ceil(height / 8).

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
@group(0) @binding(5) var blocks: texture_3d<f32>;

struct Corner {
  @builtin(position) pixel: vec4f,
  @location(0) place: vec2f,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Corner {
  let place = vec2f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
  return Corner(vec4f(place, 0.0, 1.0), place);
}

fn picture_at(place: vec2f, pixel: vec2f) -> vec4f {
  let beyond = frame.to_cube * vec4f(place, 1.0, 1.0);
  return ray_march(
    beyond.xyz / beyond.w, frame.eye, volume, volume_sampler, transfer, bricks, blocks, frame.dims, frame.edges,
    frame.window, frame.march, frame.look, frame.clip_low, frame.clip_high, frame.clip_plane,
    frame.below, frame.above, pixel,
  );
}

@fragment
fn fragment(corner: Corner) -> @location(0) vec4f {
  return picture_at(corner.place, corner.pixel.xy);
}

@group(0) @binding(6) var picture: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let size = textureDimensions(picture);
  if (any(id.xy >= size)) {
    return;
  }
  let pixel = vec2f(id.xy) + 0.5;
  let place = vec2f(2.0, -2.0) * pixel / vec2f(size) + vec2f(-1.0, 1.0);
  textureStore(picture, id.xy, picture_at(place, pixel));
}
