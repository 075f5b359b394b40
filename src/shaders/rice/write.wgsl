// Writes each brick, and its length in the directory, into its chunk's payload. src/core/codecs/rice/SPEC.md, 'A brick'.
// brick.wgsl, shared-memory.wgsl, causal.wgsl, load.wgsl and scan.wgsl stand in front of this text.
// Algorithm: each part of a group counts its bits, and a scan of these says where they start. The brick's code takes its
// elements' place in workgroup memory, and is stored word by word.
// One invocation owns one part of a group, one workgroup a brick, plane by plane. Dispatch: one workgroup a brick, spread over x, y.
// Invariants:
// 1. `payloads` is zero before, and no two bits written stand in one place: words that several share are the same
//    whoever comes first.
// 2. Chunks with byte_length 0 are left out.
// Twin: `encodeBrick` in src/core/codecs/rice/brick.ts.

// As measure.wgsl left them.
@group(0) @binding(3) var<storage, read> groups: array<u32>;
@group(0) @binding(4) var<storage, read> headers: array<u32>;
// Exclusive scan of measure.wgsl's sizes: planes × brick_count + 1 words.
@group(0) @binding(5) var<storage, read> offsets: array<u32>;
@group(0) @binding(6) var<storage, read> chunks: array<Chunk>;
// The number of each brick's chunk: `brick_count` words.
@group(0) @binding(7) var<storage, read> chunk_of_brick: array<u32>;
@group(0) @binding(8) var<storage, read_write> payloads: array<atomic<u32>>;

// Bits of suffixes; bits of prefixes and, from bit 16 on, of escapes. A brick's Rice groups are less than 2^16 bits.
alias Scanned = vec2u;

// Up to 32 bits in one go into the brick's code, for the few values that stand alone. `value` has no bits above `width`.
fn put(bit: u32, value: u32, width: u32) {
  atomicOr(&wg_words[bit / 32u], value << (bit % 32u));
  if (bit % 32u + width > 32u) { atomicOr(&wg_words[bit / 32u + 1u], value >> (32u - bit % 32u)); }
}

// Gathers neighbouring bits into words.
struct Writer { word: u32, used: u32, bits: u32 }

fn writer_at(bit: u32) -> Writer { return Writer(bit / 32u, bit % 32u, 0u); }

// `width`: 32 at most; `value` has no bits above.
fn append(writer: ptr<function, Writer>, value: u32, width: u32) {
  let used = (*writer).used;
  (*writer).bits |= value << used;
  (*writer).used = used + width;
  if (used + width >= 32u) {
    atomicOr(&wg_words[(*writer).word], (*writer).bits);
    (*writer).word++;
    (*writer).used = used + width - 32u;
    (*writer).bits = (value >> 1u) >> (31u - used);
  }
}

fn finish(writer: ptr<function, Writer>) {
  if ((*writer).used > 0u) { atomicOr(&wg_words[(*writer).word], (*writer).bits); }
}

// The low `width` bits of all lanes, side by side.
fn suffixes_of(symbols: u32, width: u32) -> u32 {
  let low = symbols & (low_bits(width) * ones);
  if (lanes == 2u) { return (low & 0xffffu) | ((low >> 16u) << width); }
  let pairs = (low & 0x00ff00ffu) | ((low & 0xff00ff00u) >> (8u - width));
  return (pairs & 0xffffu) | ((pairs >> 16u) << (2u * width));
}

// How a group is coded.
struct Coded { width: u32, is_rice: bool }

// What the brick's elements become: the symbols of this invocation's part, and their bits in the prefixes and, from bit 16
// on, in the escapes.
struct Part { symbols: array<u32, part_words>, bits: u32 }

fn part_of(place: Place, predictor: u32, coded: Coded) -> Part {
  var part = Part(array<u32, part_words>(), 0u);
  var zeros = 0u;
  var escaped = 0u;
  for (var i = 0u; i < part_words; i++) {
    let word = word_of(place, i);
    if (word.count == 0u) { continue; }
    let symbols = symbols_of(predictor, word_at(word.first), place_in_block(place, word)) & lanes_below(word.count);
    let quotients = (symbols >> coded.width) & ((element_mask >> coded.width) * ones);
    // The top bit of each lane with a quotient of 15 or more.
    let escapes = (((quotients & ~tops) + ones * ((1u << (bits - 1u)) - escape_quotient)) | quotients) & tops;
    zeros += sum_of_lanes(quotients & ~((escapes >> (bits - 1u)) * element_mask));
    escaped += countOneBits(escapes);
    part.symbols[i] = symbols;
  }
  if (coded.is_rice) {
    part.bits = (place.count + zeros + escape_quotient * escaped) | ((escaped * (bits - coded.width)) << 16u);
  }
  return part;
}

// Writes a part's bits, from the three places on.
fn write_part(place: Place, part: ptr<function, Part>, coded: Coded, suffixes_at: u32, prefixes_at: u32, escapes_at: u32) {
  var suffixes = writer_at(suffixes_at);
  var prefixes = writer_at(prefixes_at);
  var escapes = escapes_at;
  let width = coded.width;
  let quotient_mask = element_mask >> width;
  let has_escapes = ((*part).bits >> 16u) != 0u;
  for (var i = 0u; i < part_words; i++) {
    let count = word_of(place, i).count;
    if (count == 0u) { continue; }
    let word = (*part).symbols[i];
    append(&suffixes, suffixes_of(word, width), width * count);
    if (!coded.is_rice) { continue; }
    // Two symbols at a time: two prefixes have 32 bits at most.
    for (var pair = 0u; pair < lanes; pair += 2u) {
      if (pair >= count) { continue; }
      let quotients = (vec2u(word >> (pair * bits), word >> ((pair + 1u) * bits)) >> vec2u(width)) & vec2u(quotient_mask);
      // 'q zero bits and a one; 15 zero bits and a one for an escape.'
      let zeros = min(quotients, vec2u(escape_quotient));
      var bits_there = 1u << zeros.x;
      var bit_count = zeros.x + 1u;
      if (pair + 1u < count) {
        bit_count += zeros.y + 1u;
        bits_there |= 1u << (bit_count - 1u);
      }
      append(&prefixes, bits_there, bit_count);
      if (has_escapes && zeros.x == escape_quotient) {
        put(escapes, quotients.x, bits - width);
        escapes += bits - width;
      }
      if (has_escapes && zeros.y == escape_quotient) {
        put(escapes, quotients.y, bits - width);
        escapes += bits - width;
      }
    }
  }
  finish(&suffixes);
  finish(&prefixes);
}

// Whether all groups of the brick are zero groups: then it is its header alone.
fn is_header_alone(header: u32) -> bool { return (header & 0x7fu) == 0u; }

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let brick = workgroup.x + workgroup.y * workgroups.x;
  if (brick >= box.brick_count) { return; }
  let cut = cuts[brick];
  let chunk_number = chunk_of_brick[brick];
  let chunk = chunks[chunk_number];
  if (!is_mine(cut) || chunk.byte_length == 0u) { return; }
  let place = place_of(cut, thread);
  var end_brick = box.brick_count;
  if (chunk_number + 1u < box.chunk_count) { end_brick = chunks[chunk_number + 1u].first_brick; }
  let first_unit = chunk.first_brick * planes;
  let directory = chunk.byte_offset / 4u;
  let bricks_start = directory + directory_words(planes * (end_brick - chunk.first_brick)) - offsets[first_unit];

  for (var plane = 0u; plane < planes; plane++) {
    let unit = brick * planes + plane;
    let start = bricks_start + offsets[unit];
    let size = min(offsets[unit + 1u] - offsets[unit], memory_words);
    let header = headers[unit];
    let predictor = (header >> (8u + 3u * place.block)) & 7u;
    var base = 0u;
    var code = 0u;
    var coded = Coded(0u, false);
    var part = Part(array<u32, part_words>(), 0u);
    if (is_header_alone(header)) {
      if (starts_block(place)) {
        let at = place.first_word + place.group.y * box.row_words + place.group.x * element_bytes / 4u;
        base = (voxels[at] >> (16u * plane)) & element_mask;
      }
    } else {
      load_brick(place, plane, thread);
      workgroupBarrier(); // the brick is there
      if (place.count > 0u) { code = groups[unit * group_count + thread / parts]; }
      coded.is_rice = code > 0u && code < raw_code;
      if (coded.is_rice) { coded.width = code - 1u; } else if (code == raw_code) { coded.width = bits; }
      base = load_word(word_at(vec3u(place.group.xy, 0u))) & element_mask;
      if (code > 0u) { part = part_of(place, predictor, coded); }
      workgroupBarrier(); // all symbols are made: the code takes the elements' place
    }
    for (var word = thread; word < size; word += threads) { store_word(word, 0u); }
    let scanned = scan(thread, vec2u(coded.width * place.count, part.bits));
    let codes = block_header(place.blocks.x * place.blocks.y);
    let code_width = (header >> 4u) & 7u;
    let suffixes = codes + code_width * place.group_count;
    let prefixes = suffixes + scanned.total.x;
    let escapes = prefixes + (scanned.total.y & 0xffffu);

    if (thread == 0u) {
      put(0u, header & 0xffu, 8u);
      atomicOr(&payloads[directory + (unit - first_unit) / 2u], size << (16u * ((unit - first_unit) % 2u)));
    }
    if (starts_block(place)) {
      put(block_header(place.block), predictor, 3u);
      put(block_header(place.block) + 3u, base, bits);
    }
    if (place.count > 0u && place.part == 0u) { put(codes + code_width * place.code_index, code - (header & 15u), code_width); }
    if (code > 0u) {
      let before = scanned.before;
      write_part(place, &part, coded, suffixes + before.x, prefixes + (before.y & 0xffffu), escapes + (before.y >> 16u));
    }
    workgroupBarrier(); // the brick's bits are all there
    for (var word = thread; word < size; word += threads) { atomicStore(&payloads[start + word], load_word(word)); }
    workgroupBarrier(); // the brick is stored before the next plane overwrites it
  }
}
