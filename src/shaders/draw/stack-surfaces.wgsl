// The surfaces that the rays of ray-stack.wgsl hit, under the condition `meshes`. mesh.wgsl has rasterised them for each pixel.

@if(meshes) import package::draw::stack_frame::{joint, never};
@if(meshes) import constants::{binding_shift, volume_count};

/// The surfaces that rays hit: see mesh.wgsl. Layer 0 holds the opaque surface, the others the translucent ones in front of it, the nearest first.
@if(meshes) @group(0) @binding(4u + 3u * volume_count + binding_shift) var surfaces: texture_2d_array<u32>;

/// The next surface: its layer, ray parameter and colour. There is none if the parameter is `never`.
@if(meshes) var<private> surface_layer: i32;
@if(meshes) var<private> surface_at: f32;
@if(meshes) var<private> surface_color: vec4f;
@if(meshes) var<private> surface_pixel: vec2i;

/// The ray parameter of the opaque surface.
@if(meshes) fn surface_end() -> f32 {
  return bitcast<f32>(textureLoad(surfaces, surface_pixel, 0, 0).y);
}

/// Takes the surface of a layer as the next one. If the ray hits no further translucent surface, the opaque one is next.
@if(meshes) fn surface_take(layer: i32) {
  surface_layer = select(layer, 0, layer >= i32(textureNumLayers(surfaces)));
  var texel = textureLoad(surfaces, surface_pixel, surface_layer, 0);
  if (surface_layer > 0 && bitcast<f32>(texel.y) >= never) {
    surface_layer = 0;
    texel = textureLoad(surfaces, surface_pixel, 0, 0);
  }
  surface_at = bitcast<f32>(texel.y);
  surface_color = unpack4x8unorm(texel.x);
}

/// Composites all surfaces up to a ray parameter behind the colour so far.
@if(meshes) fn surfaces_until(at: f32) {
  while (surface_at < never && surface_at <= at) {
    joint += (1.0 - joint.a) * surface_color.a * vec4f(surface_color.rgb, 1.0);
    if (surface_layer == 0) {
      surface_at = never;
    } else {
      surface_take(surface_layer + 1);
    }
  }
}
