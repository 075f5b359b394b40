// The checksum's mixing of four words at a time: docs/FORMAT.md, section 'Checksum'. Twin: core/format/checksum.ts.

/** The checksum's factor for a word's number. */
const of_number = 0x9e3779b1u;
/** The factor of the second mixing. */
const of_cross = 0x27d4eb2fu;

fn mix(word: vec4u) -> vec4u {
  var mixed = word ^ (word >> vec4u(16u));
  mixed *= 0x85ebca6bu;
  mixed ^= mixed >> vec4u(13u);
  mixed *= 0xc2b2ae35u;
  return mixed ^ (mixed >> vec4u(16u));
}
