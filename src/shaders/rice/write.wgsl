// Writes each brick, and its length in the directory, into its chunk's payload. src/core/codecs/rice/SPEC.md, 'A brick'.
// brick.wgsl, load.wgsl and scan.wgsl stand in front of this text.
// Algorithm: what measure.wgsl counted says where each group's suffixes, prefixes and escapes start.
// One invocation owns one group, one workgroup a brick, plane by plane. Dispatch: one workgroup a brick, spread over x, y.
// Invariants:
// 1. `payloads` is zero before, and no two bits written stand in one place: words that several share are the same
//    whoever comes first.
// 2. Chunks with byte_length 0 are left out.
// Twin: `encodeBrick` in src/core/codecs/rice/brick.ts.

// As measure.wgsl left them.
@group(0) @binding(4) var<storage, read> groups: array<u32>;
@group(0) @binding(5) var<storage, read> headers: array<u32>;
// Exclusive scan of measure.wgsl's sizes: planes × brick_count + 1 words.
@group(0) @binding(6) var<storage, read> offsets: array<u32>;
@group(0) @binding(7) var<storage, read_write> payloads: array<atomic<u32>>;

// A place in `payloads`: bit `bit` (which may be beyond 31) behind the word `word`. Byte offsets × 8 would outgrow 32 bits.
struct Position { word: u32, bit: u32 }

fn position(byte: u32, bit: u32) -> Position { return Position(byte / 4u, 8u * (byte % 4u) + bit); }

// Up to 32 bits in one go, for the few values that stand alone.
fn put(at: Position, value: u32, width: u32) {
  let word = at.word + at.bit / 32u;
  let shift = at.bit % 32u;
  atomicOr(&payloads[word], value << shift);
  if (shift + width > 32u) { atomicOr(&payloads[word + 1u], value >> (32u - shift)); }
}

// Gathers neighbouring bits into words.
struct Writer { word: u32, used: u32, bits: u32, is_shared: bool }

fn writer_at(at: Position) -> Writer { return Writer(at.word + at.bit / 32u, at.bit % 32u, 0u, true); }

// `width`: 32 at most; `value` has no bits above.
fn append(writer: ptr<function, Writer>, value: u32, width: u32) {
  let used = (*writer).used;
  (*writer).bits |= value << used;
  (*writer).used = used + width;
  if (used + width >= 32u) {
    // The first word may hold bits of the group before; the others up to here are this group's alone.
    if ((*writer).is_shared) {
      atomicOr(&payloads[(*writer).word], (*writer).bits);
    } else {
      atomicStore(&payloads[(*writer).word], (*writer).bits);
    }
    (*writer).word++;
    (*writer).is_shared = false;
    (*writer).used = used + width - 32u;
    (*writer).bits = select(value >> ((32u - used) & 31u), 0u, used == 0u);
  }
}

fn finish(writer: ptr<function, Writer>) {
  if ((*writer).used > 0u) { atomicOr(&payloads[(*writer).word], (*writer).bits); }
}

// Writes the group's suffixes and, if it is a Rice group, its prefixes and escapes. `width`: bits of a suffix.
fn write_group(
  place: Place,
  predictor: u32,
  width: u32,
  is_rice: bool,
  suffixes_at: Position,
  prefixes_at: Position,
  escapes_at: Position,
) {
  var suffixes = writer_at(suffixes_at);
  var prefixes = writer_at(prefixes_at);
  var escapes = escapes_at;
  let suffix_mask = low_bits(width);
  for (var z = 0u; z < place.size.z; z++) {
    for (var y = 0u; y < place.size.y; y++) {
      for (var x = 0u; x < place.size.x; x += lanes) {
        let at = word_at(place.group.x + x, place.group.y + y, place.group.z + z);
        var symbols = symbols_of(predictor, at, vec3u(place.in_block + vec2u(x, y), place.group.z + z));
        // Two symbols at a time: two prefixes have 32 bits at most, and so do two suffixes.
        for (var pair = 0u; pair < min(lanes, place.size.x - x); pair += 2u) {
          let has_second = x + pair + 1u < place.size.x;
          let first = (symbols >> (pair * bits)) & element_mask;
          let second = select(0u, (symbols >> ((pair + 1u) * bits)) & element_mask, has_second);
          append(&suffixes, (first & suffix_mask) | ((second & suffix_mask) << (width & 31u)), select(width, 2u * width, has_second));
          if (is_rice) {
            // 'q zero bits and a one; 15 zero bits and a one for an escape.'
            let first_zeros = min(first >> width, escape_quotient);
            let second_zeros = min(second >> width, escape_quotient);
            let second_end = first_zeros + 1u + second_zeros;
            let first_prefix = 1u << first_zeros;
            append(
              &prefixes,
              select(first_prefix, first_prefix | (1u << second_end), has_second),
              select(first_zeros, second_end, has_second) + 1u);
            if (first_zeros == escape_quotient) {
              put(escapes, first >> width, bits - width);
              escapes.bit += bits - width;
            }
            if (second_zeros == escape_quotient) {
              put(escapes, second >> width, bits - width);
              escapes.bit += bits - width;
            }
          }
        }
      }
    }
  }
  finish(&suffixes);
  finish(&prefixes);
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let brick = workgroup.x + workgroup.y * workgroups.x;
  if (brick >= box.brick_count) { return; }
  let chunk_number = chunk_of_brick[brick];
  let chunk = chunks[chunk_number];
  if (chunk.picture != picture || chunk.byte_length == 0u) { return; }
  let place = place_of(chunk, box, brick - chunk.first_brick, thread);
  var end_brick = box.brick_count;
  if (chunk_number + 1u < box.chunk_count) { end_brick = chunks[chunk_number + 1u].first_brick; }
  let directory_bytes = 2u * planes * (end_brick - chunk.first_brick);

  for (var plane = 0u; plane < planes; plane++) {
    let unit = brick * planes + plane;
    let first_unit = chunk.first_brick * planes;
    let start = chunk.byte_offset + directory_bytes + offsets[unit] - offsets[first_unit];
    let header = headers[unit];
    let least_code = header & 15u;
    let code_width = (header >> 4u) & 7u;
    load_brick(place, plane, thread);

    let record = groups[unit * threads + thread];
    let code = record & 15u;
    let prefix_bits = (record >> 4u) & 0xfffu;
    let escape_bits = record >> 16u;
    var suffix_width = 0u;
    if (code == raw_code) { suffix_width = bits; } else if (code > 0u) { suffix_width = code - 1u; }
    let before = scan(thread, vec3u(suffix_width * place.count, prefix_bits, escape_bits)); // its barriers follow the load
    let total = scan_total();
    let block_count = place.blocks.x * place.blocks.y;
    let codes = block_header(block_count);
    let suffixes = codes + code_width * place.group_count;
    let prefixes = suffixes + total.x;
    let escapes = prefixes + total.y;

    if (thread == 0u) {
      put(position(chunk.byte_offset + 2u * (unit - first_unit), 0u), offsets[unit + 1u] - offsets[unit], 16u);
      put(position(start, 0u), header & 0xffu, 8u);
      for (var block = 0u; block < block_count; block++) {
        let at = block_header(block);
        let corner = word_at((block % place.blocks.x) * block_x, (block / place.blocks.x) * block_y, 0u);
        put(position(start, at), (header >> (8u + 3u * block)) & 7u, 3u);
        put(position(start, at + 3u), wg_words[corner] & element_mask, bits);
      }
    }
    if (place.count > 0u) {
      put(position(start, codes + code_width * place.code_index), code - least_code, code_width);
      let predictor = (header >> (8u + 3u * place.block)) & 7u;
      if (code > 0u) {
        write_group(
          place,
          predictor,
          suffix_width,
          code < raw_code,
          position(start, suffixes + before.x),
          position(start, prefixes + before.y),
          position(start, escapes + before.z));
      }
    }
    workgroupBarrier(); // the brick is read before the next plane overwrites it
  }
}
