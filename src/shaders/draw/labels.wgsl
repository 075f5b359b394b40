// The colours of labels: a palette in the first row of a texture, and below it a table of labels that have their own colour or are
// hidden. The texture is 256 texels wide. A slot of the table is two texels: the label's number, its lowest byte in red, and its
// colour, whose alpha is 0 in an empty slot, 1 if the label is shown and about 0.5 if it is hidden. A label lies in the slot of its
// hash or, if that is taken, in the next free one. There are 128 slots in a row and 2^n rows, and half of the slots are empty.
//
// Twin: src/renderer/viewer/colors/label-texels.ts writes the texture.

import package::volume::label::label_hash;

/// The colour of a label; alpha is 0 if the label is hidden. @param entry index of the label's colour in the palette, whose alpha is 0 if
/// labels that are not in the table are hidden
fn label_color(colors: texture_2d<f32>, number: u32, entry: i32) -> vec4f {
  let slots = 128u * (textureDimensions(colors).y - 1u);
  var slot = label_hash(number);
  for (var probe = 0u; probe < slots; probe++) {
    slot = slot & (slots - 1u);
    let place = vec2i(i32(2u * (slot % 128u)), i32(1u + slot / 128u));
    let color = textureLoad(colors, place + vec2i(1, 0), 0);
    if (color.a == 0.0) {
      break;
    }
    if (pack4x8unorm(textureLoad(colors, place, 0)) == number) {
      return vec4f(color.rgb, select(0.0, 1.0, color.a > 0.75));
    }
    slot++;
  }
  return textureLoad(colors, vec2i(entry, 0), 0);
}
