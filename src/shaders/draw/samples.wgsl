// The sample positions of a layer for a canvas (`LayerSamples` in src/core/draw/layer-slab.ts), and the projection of samples of several
// slices.

struct Samples {
  /// Voxel position = origin + across × slice number + right × pixel x + down × pixel y. `down.w` is the first row of pixels. The
  /// other w are the end of the layer along x, y, z, in which the last voxels may stand for fewer voxels of the file than others.
  origin: vec4f,
  across: vec4f,
  right: vec4f,
  down: vec4f,
  /// The layer's voxels along x, y, z.
  dims: vec3u,
  time_point: u32,
  /// The size in pixels of the canvas, or of a band of its rows.
  size: vec2u,
  /// The first slice, and the number of slices.
  first_slice: u32,
  slices: u32,
  /// Keys of the lowest and the highest number.
  numbers: vec2u,
  /// 0: mean, 1: maximum, 2: minimum, of stored values.
  kind: u32,
  /// 1: interpolate between voxels.
  smooth_voxels: u32,
}

/// The voxel position of a pixel's centre. @param slice counted from the first slice
fn sample_position(samples: Samples, pixel: vec2u, slice: u32) -> vec3f {
  let start = samples.origin.xyz + samples.right.xyz * (f32(pixel.x) + 0.5) + samples.down.xyz * (f32(pixel.y) + samples.down.w + 0.5);
  return start + samples.across.xyz * f32(samples.first_slice + slice);
}

/// Whether a voxel position lies outside the layer.
fn is_outside(samples: Samples, position: vec3f) -> bool {
  return any(position < vec3f(0.0)) || any(position >= vec3f(samples.origin.w, samples.across.w, samples.right.w));
}

/// Adds a sample to the mean or extreme so far (x) of a number of samples (y). Sums could overflow, so a running mean is kept.
fn projected(before: vec2f, sample: f32, kind: u32) -> vec2f {
  let count = before.y + 1.0;
  if (kind == 0u) {
    return vec2f(before.x + sample / count - before.x / count, count);
  }
  if (before.y == 0.0) {
    return vec2f(sample, count);
  }
  return vec2f(select(min(before.x, sample), max(before.x, sample), kind == 1u), count);
}
