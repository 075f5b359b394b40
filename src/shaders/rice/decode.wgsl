// Writes each brick's elements into a box. src/core/codecs/rice/SPEC.md, 'Decoding'.
// brick.wgsl, scan.wgsl and sums.wgsl stand in front of this text.
// Algorithm: the prefixes of all groups stand together, each ending in a one. So the word and the bit where a group's
// prefixes start follow from a count of ones over the words (select by ranks), and its suffixes' start from a sum of
// widths: no table of offsets. Then each invocation walks its group, and the predictors' sums run over packed words.
// One invocation owns one group, then lines, then words; one workgroup owns a brick, plane by plane.
// Dispatch: one workgroup a brick, spread over x and y.
// Invariants:
// 1. Each word of `voxels` belongs to one brick (bricks start at whole words) and is written by one invocation, of an
//    element of 4 bytes first the low and then the high half.
// 2. In a row's last word the bytes behind the chunk's end stay as they are.
// 3. Every loop is bounded by the brick's size or by its length in the directory, 65535 bytes at most: damage gives wrong
//    voxels, no more.
// Twin: `decodeBrick` in src/core/codecs/rice/brick.ts.

@group(0) @binding(0) var<uniform> box: Box;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
// The number of each brick's chunk: `brick_count` words.
@group(0) @binding(2) var<storage, read> chunk_of_brick: array<u32>;
@group(0) @binding(3) var<storage, read> payloads: array<u32>;
// From locate.wgsl: bytes in `payloads`.
@group(0) @binding(4) var<storage, read> spans: array<vec2u>;
@group(0) @binding(5) var<storage, read_write> voxels: array<u32>;

// Ones of the prefixes in the words before each invocation's share.
var<workgroup> wg_ranks: array<u32, threads>;

// Bits from one place on, counted from the word where the brick starts: byte offsets × 8 would outgrow 32 bits.
struct Reader { word: u32, used: u32, low: u32, high: u32 }

fn reader_at(base: u32, bit: u32) -> Reader {
  let word = base + bit / 32u;
  return Reader(word, bit % 32u, payloads[word], payloads[word + 1u]);
}

// The next 32 bits.
fn peek(reader: Reader) -> u32 { return (reader.low >> reader.used) | ((reader.high << 1u) << (31u - reader.used)); }

// `width`: 32 at most.
fn skip(reader: ptr<function, Reader>, width: u32) {
  (*reader).used += width;
  if ((*reader).used >= 32u) {
    (*reader).used -= 32u;
    (*reader).word++;
    (*reader).low = (*reader).high;
    (*reader).high = payloads[(*reader).word + 1u];
  }
}

// `width` bits, 16 at most.
fn bits_at(base: u32, bit: u32, width: u32) -> u32 { return peek(reader_at(base, bit)) & low_bits(width); }

// Zero bits before the next one: 15 at most, whatever stands there.
fn zeros_in(window: u32) -> u32 { return min(countTrailingZeros(window), escape_quotient); }

// Where the ones of a brick's prefixes are sought: words `first` to `end`, `share` of them an invocation's own. Ones in
// front of the prefixes, in the first word, do not count.
struct Prefixes { base: u32, bit: u32, first: u32, end: u32, share: u32 }

fn prefix_word(prefixes: Prefixes, word: u32) -> u32 {
  let bits_there = payloads[word];
  if (word == prefixes.first) { return bits_there & ~low_bits(prefixes.bit % 32u); }
  return bits_there;
}

// The ones in an invocation's share of words.
fn count_ones(prefixes: Prefixes, thread: u32) -> u32 {
  let first = prefixes.first + thread * prefixes.share;
  var ones_there = 0u;
  for (var word = first; word < min(first + prefixes.share, prefixes.end); word++) {
    ones_there += countOneBits(prefix_word(prefixes, word));
  }
  return ones_there;
}

// The bit behind the first `count` ones of the prefixes.
fn bit_behind(prefixes: Prefixes, count: u32) -> u32 {
  if (count == 0u) { return prefixes.bit; }
  var owner = 0u;
  for (var half = threads / 2u; half > 0u; half /= 2u) {
    if (wg_ranks[owner + half] < count) { owner += half; }
  }
  var rest = count - 1u - wg_ranks[owner];
  var word = prefixes.first + owner * prefixes.share;
  let end = min(word + prefixes.share, prefixes.end);
  var bits_there = prefix_word(prefixes, word);
  var found = countOneBits(bits_there);
  while (found <= rest && word + 1u < end) {
    rest -= found;
    word++;
    bits_there = prefix_word(prefixes, word);
    found = countOneBits(bits_there);
  }
  var bit = 0u;
  for (var half = 16u; half > 0u; half /= 2u) {
    let below = countOneBits((bits_there >> bit) & low_bits(half));
    if (rest >= below) {
      rest -= below;
      bit += half;
    }
  }
  return 32u * (word - prefixes.base) + bit + 1u;
}

// Bits that the group's escapes take in the stream of escapes.
fn count_escape_bits(base: u32, bit: u32, count: u32, k: u32) -> u32 {
  var prefixes = reader_at(base, bit);
  var escaped = 0u;
  for (var i = 0u; i < count; i++) {
    let zeros = zeros_in(peek(prefixes));
    escaped += u32(zeros == escape_quotient);
    skip(&prefixes, zeros + 1u);
  }
  return escaped * (bits - k);
}

// Where a group's bits are, and what they mean.
struct Coded {
  code: u32,
  width: u32,     // of a suffix
  suffixes: u32,  // the bits where its parts start, from the word `base` on
  prefixes: u32,
  escapes: u32,
}

// Walks the group and leaves its residuals in wg_words.
fn expand_group(place: Place, base: u32, coded: Coded) {
  var prefixes = reader_at(base, coded.prefixes);
  var suffixes = reader_at(base, coded.suffixes);
  var escapes = coded.escapes;
  let is_rice = coded.code > 0u && coded.code < raw_code;
  let mask = low_bits(coded.width);
  for (var z = 0u; z < place.size.z; z++) {
    for (var y = 0u; y < place.size.y; y++) {
      for (var x = 0u; x < place.size.x; x += lanes) {
        var symbols = 0u;
        // Two symbols at a time: two prefixes have 32 bits at most, and so do two suffixes.
        for (var pair = 0u; pair < lanes; pair += 2u) {
          if (x + pair < place.size.x) {
            let has_second = x + pair + 1u < place.size.x;
            let window = peek(suffixes);
            var pair_symbols = vec2u(window & mask, (window >> (coded.width & 31u)) & mask);
            skip(&suffixes, select(coded.width, 2u * coded.width, has_second));
            if (is_rice) {
              let prefix_window = peek(prefixes);
              let first = zeros_in(prefix_window);
              let second = zeros_in(prefix_window >> (first + 1u));
              skip(&prefixes, first + 1u + select(0u, second + 1u, has_second));
              var quotients = vec2u(first, second);
              if (first == escape_quotient) {
                quotients.x = bits_at(base, escapes, bits - coded.width);
                escapes += bits - coded.width;
              }
              if (has_second && second == escape_quotient) {
                quotients.y = bits_at(base, escapes, bits - coded.width);
                escapes += bits - coded.width;
              }
              pair_symbols += quotients << vec2u(coded.width);
            }
            symbols |= (pair_symbols.x & element_mask) << (pair * bits);
            if (has_second) { symbols |= (pair_symbols.y & element_mask) << ((pair + 1u) * bits); }
          }
        }
        wg_words[word_at(place.group.x + x, place.group.y + y, place.group.z + z)] = packed_residuals(symbols);
      }
    }
  }
}

// Copies one plane of the brick into the box.
fn store_brick(place: Place, plane: u32, thread: u32) {
  let extent = place.extent;
  for (var index = thread; index < words_to_visit(extent); index += threads) {
    let x = (index % row_words) * lanes;
    let y = (index / row_words) % brick_y;
    let z = index / (row_words * brick_y);
    if (x >= extent.x || y >= extent.y || z >= extent.z) { continue; }
    let word = wg_words[word_at(x, y, z)];
    let row = place.first_word + z * box.slice_words + y * box.row_words;
    if (planes == 2u) {
      for (var lane = 0u; lane < min(2u, extent.x - x); lane++) {
        let half = (word >> (16u * lane)) & 0xffffu;
        let at = row + x + lane;
        if (plane == 0u) { voxels[at] = half; } else { voxels[at] |= half << 16u; }
      }
    } else {
      let at = row + x / lanes;
      let valid = lanes_below(extent.x - x);
      if (valid == 0xffffffffu) { voxels[at] = word; } else { voxels[at] = (voxels[at] & ~valid) | (word & valid); }
    }
  }
}

@compute @workgroup_size(threads)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let brick = workgroup.x + workgroup.y * workgroups.x;
  if (brick >= box.brick_count) { return; }
  let chunk = chunks[chunk_of_brick[brick]];
  if (chunk.picture != picture) { return; }
  let place = place_of(chunk, box, brick - chunk.first_brick, thread);

  for (var plane = 0u; plane < planes; plane++) {
    let span = spans[brick * planes + plane];
    let base = span.x / 4u;
    let start = 8u * (span.x % 4u);
    let end = start + 8u * (span.y - span.x);
    let header = bits_at(base, start, 8u);
    let code_width = min((header >> 4u) & 7u, 4u);
    let codes = start + block_header(place.blocks.x * place.blocks.y);

    // Every member is set here: a variable in a loop that is not, keeps the plane's before on some drivers.
    var coded = Coded(0u, 0u, 0u, 0u, 0u);
    if (place.count > 0u) {
      coded.code = min((header & 15u) + bits_at(base, codes + code_width * place.code_index, code_width), raw_code);
    }
    let is_rice = coded.code > 0u && coded.code < raw_code;
    if (is_rice) { coded.width = coded.code - 1u; } else if (coded.code == raw_code) { coded.width = bits; }
    let rice_count = select(0u, place.count, is_rice);
    let before = scan(thread, vec3u(coded.width * place.count, rice_count, 0u));
    let total = scan_total();
    let suffixes = codes + code_width * place.group_count;
    coded.suffixes = suffixes + before.x;

    let prefixes_bit = suffixes + total.x;
    let first_word = base + prefixes_bit / 32u;
    let end_word = base + (max(end, prefixes_bit) + 31u) / 32u;
    let prefixes = Prefixes(base, prefixes_bit, first_word, end_word, (end_word - first_word + threads - 1u) / threads);
    wg_ranks[thread] = scan(thread, vec3u(count_ones(prefixes, thread), 0u, 0u)).x;
    workgroupBarrier(); // the ranks are there
    coded.prefixes = bit_behind(prefixes, before.y);

    if ((header & 128u) != 0u) {
      var escape_bits = 0u;
      if (is_rice) { escape_bits = count_escape_bits(base, coded.prefixes, place.count, coded.width); }
      coded.escapes = bit_behind(prefixes, total.y) + scan(thread, vec3u(escape_bits, 0u, 0u)).x;
    }
    expand_group(place, base, coded);
    // 'The base takes the place of the block's first residual.'
    if (place.count > 0u && all(place.in_block == vec2u(0u)) && place.group.z == 0u) {
      let at = word_at(place.group.x, place.group.y, 0u);
      wg_words[at] = (wg_words[at] & ~element_mask) | bits_at(base, start + block_header(place.block) + 3u, bits);
    }
    workgroupBarrier(); // all residuals are there

    // The workgroup's invocations are parted evenly among the blocks that there may be.
    let width = threads / blocks;
    let block = vec2u((thread / width) % blocks_x, thread / width / blocks_x);
    let is_there = all(block < place.blocks);
    let block_shape = vec2u(block_x, block_y);
    let first = block * block_shape;
    let extent = vec3u(min(block_shape, place.extent.xy - first), place.extent.z);
    let predictor = bits_at(base, start + block_header(block.x + place.blocks.x * block.y), 3u);
    for (var step = 0u; step < 3u; step++) {
      if (is_there) { sum_block(sum_of(predictor, step), word_at(first.x, first.y, 0u), extent, thread % width, width); }
      workgroupBarrier(); // this sum is whole
    }
    store_brick(place, plane, thread);
    workgroupBarrier(); // the brick is stored before the next plane overwrites it
  }
}
