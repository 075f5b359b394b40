// Declarations that the files of ray-stack.wgsl share: the parameters of a frame, the state of a ray, and the bindings that samples need.
// With the condition `paged`, the bindings up to 12 that are not declared here belong to src/shaders/brick-draw.

/// The number of volumes, 1 to 5. The bindings of ray-stack.wgsl also depend on the conditions `volumes_2` to `volumes_5`.
import constants::volume_count;

struct Stack {
  /// As in `Frame` of march-frame.wgsl, in the unit cube of the open volume.
  to_cube: mat4x4f,
  eye: vec4f,
  clip_plane: vec4f,
  /// Lengths of the cube's edges in the scene.
  edges: vec3f,
  /// The box inside the clip planes. Sides without a clip plane are unlimited, because volumes may extend beyond the cube.
  clip_low: vec3f,
  clip_high: vec3f,
  /// In pixels: width and height of the whole picture, the strip's first row and its number of rows.
  strip: vec4f,
  /// x: the reference length of opacity in the scene; y: attenuation per unit length in the scene; z: 1: compositing is lit; w: samples share
  /// their light until their opacities add up to this.
  look: vec4f,
  /// From the bottom up.
  volumes: array<Volume, volume_count>,
}

struct Volume {
  /// Maps the open volume's cube to this texture's.
  to_unit: mat4x4f,
  /// Texels along x, y, z; w: texels of a brick along each axis.
  dims: vec4f,
  /// The end of the voxels in the texture's cube; w: the length of the finest texel in the scene.
  extent: vec4f,
  /// As in `Frame`; z: 1: the nearest texel is shown, without interpolation.
  window: vec4f,
  /// x: the isosurface's place in the window; y: opacity; z: blending: 0 over, 1 add, 2 maximum; w: the value at the window's low end.
  look: vec4f,
  /// x: texels per step; y: 1: the lowest colour of a projection stays opaque; z and w: for a layer that is drawn from bricks, as x and y of
  /// `window`, for texels of its bricks.
  march: vec4f,
  /// As in `Frame`.
  below: vec4f,
  above: vec4f,
  /// x: the volume's first row in `transfer`; for labels, y and z: the first number with a texel of its own, and how many there are; w: for a
  /// layer that is drawn from bricks, voxels per step in them.
  table: vec4f,
}

/// The state of a volume along a ray.
struct Passage {
  origin: vec3f,
  toward: vec3f,
  /// The ray parameters at which the ray enters the volume, and after which it takes no more samples of it.
  enter: f32,
  exit: f32,
  /// The ends of the last checked brick and block, and whether the volume is empty up to `leave`.
  leave: f32,
  leave_block: f32,
  is_empty: bool,
  /// Of all samples so far: the least or greatest value, the integral (in compositing, the opacity that the volume would have at full
  /// opacity), and the length over which the mean was taken.
  extreme: f32,
  sum: f32,
  passed: f32,
  /// The picture of a volume that is drawn by itself, premultiplied.
  color: vec4f,
  light: vec2f,
  /// The opacity added since the light was last computed. It starts at 1, so that the first sample computes it.
  unlit: f32,
  /// For labels, the label at the last sample. For isosurfaces, 1 if the last sample was inside the surface, otherwise 0.
  number: i32,
  /// The distance between samples in t.
  step: f32,
  /// For a layer that is drawn from bricks (stack-layers.wgsl): the entry of the shown brick in the page table, 0 if there is none; its
  /// level; the fractional number of that level's voxels along the edges of the layer's cube.
  entry: u32,
  level: u32,
  scale: vec3f,
  /// Of the shown brick, in voxels of its level: the centres of its first and last voxel, and the offset to texels of the texture.
  first: vec3f,
  last: vec3f,
  to_texels: vec3f,
  /// The faces of the shown brick beyond which samples lay, as `face_bits`.
  faces: u32,
}

/// A ray parameter behind everything.
const never = 1e30;

/// See march-frame.wgsl.
override way: i32;

@if(!paged) @group(0) @binding(0) var<uniform> frame: Stack;
@if(paged) @group(0) @binding(4) var<uniform> frame: Stack;
@if(!paged) @group(0) @binding(1) var linear: sampler;
@if(paged) @group(0) @binding(5) var linear: sampler;
/// 256 texels wide. An image has two rows, as in march-frame.wgsl. Labels have the colours of all numbers that the texture can hold, row
/// after row, or one row with the palette if there are too many numbers. Alpha is 0 where a label is not shown.
@if(!paged) @group(0) @binding(2) var transfer: texture_2d<f32>;
@if(paged) @group(0) @binding(6) var transfer: texture_2d<f32>;
/// The colour so far of the volumes that are composited together, premultiplied.
var<private> joint: vec4f;
/// The ray's direction in the scene.
var<private> forwards: vec3f;
/// The ray in the open volume's cube.
var<private> ray_origin: vec3f;
var<private> ray_toward: vec3f;
/// The distance between samples: in t, and in the scene.
var<private> step: f32;
var<private> step_length: f32;
