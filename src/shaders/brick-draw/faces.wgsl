/// Faces of a brick as bits: 0 to 2 for the low ones of x, y and z, 3 to 5 for the high ones.
fn face_bits(below: vec3<bool>, above: vec3<bool>) -> u32 {
  return dot(select(vec3u(0u), vec3u(1u, 2u, 4u), below) + select(vec3u(0u), vec3u(8u, 16u, 32u), above), vec3u(1u));
}
