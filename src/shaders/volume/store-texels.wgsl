// Writes texels of one or two bytes to a texture without a copy, which needs the feature texture-formats-tier1.

/// Stores the four texels of a word, which follow each other along x. Texels outside the texture are dropped.
fn store_texels(texture: texture_storage_3d<r8unorm, write>, first: vec3u, word: u32) {
  let texels = unpack4x8unorm(word);
  for (var at = 0u; at < 4u; at++) {
    textureStore(texture, first + vec3u(at, 0u, 0u), vec4f(texels[at]));
  }
}

/// Stores the two texels of a word, which follow each other along x.
fn store_pairs(texture: texture_storage_3d<rg8unorm, write>, first: vec3u, word: u32) {
  let texels = unpack4x8unorm(word);
  textureStore(texture, first, vec4f(texels.xy, 0.0, 0.0));
  textureStore(texture, first + vec3u(1u, 0u, 0u), vec4f(texels.zw, 0.0, 0.0));
}
