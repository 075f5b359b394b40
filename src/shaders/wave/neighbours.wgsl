// The neighbours that a prediction weighs. src/core/codecs/wave/SPEC.md, 'Prediction'. Twin: src/core/codecs/wave/model.ts.

const neighbour_count = 28u;
const in_plane_count = 10u;

const neighbour_offsets = array<vec3i, 28>(
  vec3i(-1, 0, 0), vec3i(0, -1, 0), vec3i(-1, -1, 0), vec3i(1, -1, 0), vec3i(-2, 0, 0), vec3i(0, -2, 0), vec3i(-1, -2, 0),
  vec3i(1, -2, 0), vec3i(-2, -1, 0), vec3i(2, -1, 0), vec3i(0, 0, -1), vec3i(-1, 0, -1), vec3i(0, -1, -1), vec3i(1, 0, -1),
  vec3i(0, 1, -1), vec3i(-1, -1, -1), vec3i(1, -1, -1), vec3i(-1, 1, -1), vec3i(1, 1, -1), vec3i(2, 0, -1), vec3i(0, 2, -1),
  vec3i(-2, 0, -1), vec3i(0, -2, -1), vec3i(0, 0, -2), vec3i(-1, 0, -2), vec3i(0, -1, -2), vec3i(1, 0, -2), vec3i(0, 1, -2),
);

fn count_of(z: i32) -> u32 { return select(neighbour_count, in_plane_count, z == 0); }
