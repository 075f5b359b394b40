// The parameters of a frame of ray-march.wgsl, and the bindings that its samples need. With the condition `paged`, bindings 0 to 3 belong to
// src/shaders/brick-draw.

struct Frame {
  /// Maps x and y of −1…1 on the whole picture and a depth of 0…1 to a point on the ray in front of the eye, in the cube.
  to_cube: mat4x4f,
  /// The eye in the cube. w: 1; or 0 if the eye is infinitely far away in direction xyz (orthographic).
  eye: vec4f,
  /// Texels along x, y, z; w: texels of a brick along each axis.
  dims: vec4f,
  /// A texel's place in the window is (texel − y) × x. z: samples share their light until their opacities add up to this.
  /// w: 0, or the window's width in values if each value has its own colour.
  window: vec4f,
  /// x: texels per step; y: the maximum number of rounds; z: the reference length of opacity in the scene; w: 1: the lowest
  /// colour of a projection stays opaque.
  march: vec4f,
  /// x: the isosurface's place in the window; y: attenuation per unit length in the scene; z: 1: compositing is lit; w: the value
  /// at the window's low end.
  look: vec4f,
  /// A plane of any orientation, in the cube. The side with xyz · position + w ≥ 0 is shown.
  clip_plane: vec4f,
  /// Lengths of the cube's edges in the scene, which make gradients physical.
  edges: vec3f,
  /// The part of the cube that is shown.
  clip_low: vec3f,
  clip_high: vec3f,
  /// How values outside the window are shown: w: 0 in the nearest colour of the window, 1 not at all, 2 in the colour rgb. Rays
  /// pass through values that are not shown, except for isosurfaces.
  below: vec4f,
  above: vec4f,
  /// In pixels: width and height of the whole picture, the strip's first row and its number of rows.
  strip: vec4f,
}

/// The projection. A constant, so that the compiler drops the code of the others, which costs registers and up to a quarter of the time.
override way: i32;

@if(!paged) @group(0) @binding(0) var<uniform> frame: Frame;
@if(paged) @group(0) @binding(4) var<uniform> frame: Frame;
/// One time point; see display-texture.ts. A texel's value is red + green / 256.
@if(!paged) @group(0) @binding(1) var volume: texture_3d<f32>;
@if(!paged) @group(0) @binding(2) var linear: sampler;
@if(paged) @group(0) @binding(5) var linear: sampler;
/// 256 × 2 texels; row 0: colour and opacity by place in the window; row 1: see `ray_opacity_bound`.
@if(!paged) @group(0) @binding(3) var transfer: texture_2d<f32>;
@if(paged) @group(0) @binding(6) var transfer: texture_2d<f32>;
