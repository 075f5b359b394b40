// Rasterises a mesh for the rays of a strip: the surfaces that the ray through each pixel hits, and their distances. ray-stack.wgsl
// composites them with the volumes that the ray crosses.
//
// The nearest opaque surface goes to the first layer of a texture array. Translucent surfaces in front of it follow by depth peeling
// (Everitt 2001): each pass draws the nearest surface behind that of the previous pass.
//
// A texel is the surface's lit colour with its opacity (pack4x8unorm), and the bits of its ray parameter t. The ray is
// origin + t × toward in the unit cube of the open volume, as in ray-stack.wgsl.
//
// Draw: the indices of the triangles, once for each pass. Both sides of a triangle are visible.
//
// Invariants
// 1. Fragments cut away by clip planes draw nothing.

import package::draw::rays::ray_headlight;

struct Surface {
  /// Maps positions to x, y and w of the picture's clip space; w is 1 if the eye is at infinity.
  to_picture: mat4x4f,
  /// Maps positions to the unit cube of the open volume.
  to_cube: mat4x4f,
  /// Maps normals of the mesh to the scene.
  normal_x: vec3f,
  normal_y: vec3f,
  normal_z: vec3f,
  /// The following members are as in `Stack` of stack-frame.wgsl.
  ray_to_cube: mat4x4f,
  eye: vec4f,
  clip_plane: vec4f,
  edges: vec3f,
  clip_low: vec3f,
  clip_high: vec3f,
  strip: vec4f,
  /// sRGB and opacity.
  color: vec4f,
}

/// Depth peeling treats surfaces closer together than this as one.
const least_gap = 1e-5;

@group(0) @binding(0) var<uniform> surface: Surface;
/// The layer of the opaque surface, and the layer of the previous pass.
@if(peels) @group(0) @binding(1) var opaque_layer: texture_2d<u32>;
@if(peels) @group(0) @binding(2) var layer_before: texture_2d<u32>;

struct Corner {
  @builtin(position) @invariant place: vec4f,
  @location(0) in_cube: vec3f,
  @location(1) normal: vec3f,
}

struct Seen {
  @location(0) texel: vec2u,
  @builtin(frag_depth) depth: f32,
}

@vertex
fn vertex(@location(0) position: vec3f, @location(1) normal: vec4f) -> Corner {
  let there = surface.to_picture * vec4f(position, 1.0);
  // Clipping removes only triangles behind the eye; `depth` orders the others.
  let place = vec4f(there.xy, select(0.5, 1e-4, surface.eye.w > 0.5), there.w);
  let turned = surface.normal_x * normal.x + surface.normal_y * normal.y + surface.normal_z * normal.z;
  return Corner(place, (surface.to_cube * vec4f(position, 1.0)).xyz, turned);
}

@fragment
fn main(corner: Corner) -> Seen {
  let pixel = corner.place.xy + vec2f(0.0, surface.strip.z);
  let beyond = surface.ray_to_cube * vec4f(vec2f(2.0, -2.0) * pixel / surface.strip.xy + vec2f(-1.0, 1.0), 1.0, 1.0);
  let is_near = surface.eye.w > 0.5;
  let origin = select(beyond.xyz / beyond.w, surface.eye.xyz, is_near);
  let toward = normalize(select(-surface.eye.xyz, beyond.xyz / beyond.w - surface.eye.xyz, is_near));
  let at = dot(corner.in_cube - origin, toward);
  let plane = surface.clip_plane;
  if (any(corner.in_cube < surface.clip_low) || any(corner.in_cube > surface.clip_high) || dot(plane.xyz, corner.in_cube) + plane.w < 0.0) {
    discard;
  }
  @if(peels) if (at >= bitcast<f32>(textureLoad(opaque_layer, vec2i(corner.place.xy), 0).y)) {
    discard;
  }
  @if(peels) if (surface.strip.w > 1.0 && at <= bitcast<f32>(textureLoad(layer_before, vec2i(corner.place.xy), 0).y) + least_gap) {
    discard;
  }
  let light = ray_headlight(corner.normal, normalize(toward * surface.edges), 1e-3);
  let rgb = min(surface.color.rgb * light.x * 0.8 + vec3f(light.y), vec3f(1.0));
  return Seen(vec2u(pack4x8unorm(vec4f(rgb, surface.color.a)), bitcast<u32>(at)), 0.5 + 0.5 * at / (1.0 + abs(at)));
}
