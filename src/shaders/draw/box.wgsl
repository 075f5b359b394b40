// Where a box of voxels lies in its volume (`placeUniform` in src/core/volume/volume-source.ts).

struct Box {
  /// The box's first voxel, and words per row.
  first: vec3u,
  row_words: u32,
  /// The box's voxels along x, y, z.
  size: vec3u,
  /// Planes from one time point to the next. 0: the box holds a single time point, which is read at every time point.
  planes_per_time_point: u32,
}
