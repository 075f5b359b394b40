// Blends the pictures of the channels of a volume, each of which was drawn by itself (ray-stack.wgsl), as rays through all of them would.
//
// One invocation owns one pixel. Dispatch: ceil(width / 8) × ceil(rows / 8).
//
// Twin: `ray_blend` in ray-stack.wgsl.

struct Channels {
  /// Width and rows of the strip in pixels.
  size: vec2u,
  /// How each picture is blended with those before it: 0 over, 1 add, 2 maximum.
  blending_2: u32,
  blending_3: u32,
  blending_4: u32,
  blending_5: u32,
}

@group(0) @binding(0) var<uniform> channels: Channels;
/// The blended picture, premultiplied, as those of the channels.
@group(0) @binding(1) var picture: texture_storage_2d<rgba8unorm, write>;
/// The lowest channel first.
@group(0) @binding(2) var picture_1: texture_2d<f32>;
@if(channels_2) @group(0) @binding(3) var picture_2: texture_2d<f32>;
@if(channels_3) @group(0) @binding(4) var picture_3: texture_2d<f32>;
@if(channels_4) @group(0) @binding(5) var picture_4: texture_2d<f32>;
@if(channels_5) @group(0) @binding(6) var picture_5: texture_2d<f32>;

fn blended(under: vec4f, over: vec4f, blending: u32) -> vec4f {
  let covered = over + (1.0 - over.a) * under;
  switch (blending) {
    case 0u: { return covered; }
    case 1u: { return vec4f(min(over.rgb + under.rgb, vec3f(1.0)), covered.a); }
    default: { return max(over, under); }
  }
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= channels.size)) {
    return;
  }
  var color = textureLoad(picture_1, id.xy, 0);
  @if(channels_2) color = blended(color, textureLoad(picture_2, id.xy, 0), channels.blending_2);
  @if(channels_3) color = blended(color, textureLoad(picture_3, id.xy, 0), channels.blending_3);
  @if(channels_4) color = blended(color, textureLoad(picture_4, id.xy, 0), channels.blending_4);
  @if(channels_5) color = blended(color, textureLoad(picture_5, id.xy, 0), channels.blending_5);
  textureStore(picture, id.xy, color);
}
