import { expect, test } from 'vitest';
import doublesShader from '../../../shaders/wave/doubles.wgsl';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { testRandom } from '../../codec/chunk-testing.ts';

const gpu = await openTestGpu();

const leastNormal = 2 ** -1022;

/** Computes a + b, a × b, a ÷ b, and ⌊a⌋ from −1023 to 1023. */
const shader: ShaderFile = {
  path: 'test.wgsl',
  imports: [{ from: () => doublesShader, names: ['sum_of', 'product_of', 'quotient_of', 'floor_of', 'double_of_signed'] }],
  pieces: [
    {
      text: `
@group(0) @binding(0) var<storage, read> pairs: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> results: array<vec4u>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&pairs)) { return; }
  let a = pairs[id.x].xy;
  let b = pairs[id.x].zw;
  results[2u * id.x] = vec4u(sum_of(a, b), product_of(a, b));
  results[2u * id.x + 1u] = vec4u(quotient_of(a, b), double_of_signed(floor_of(a)));
}`,
    },
  ],
};

/** Numbers with few and with many bits, some of them almost alike. */
function someNumbers(): [number, number][] {
  const random = testRandom(7);
  const fraction = () => (random() % 2 ** 26) * 2 ** -26 + (random() % 2 ** 26) * 2 ** -52;
  const kinds = [
    () => fraction() * 2 ** ((random() % 100) - 50),
    () => 1 + fraction(),
    () => (random() % 4096) - 2048,
    () => ((random() % 4096) - 2048) / 2,
    () => 1 - 2 ** -53,
    () => 1 + 2 ** -52,
    () => 2 ** ((random() % 120) - 60),
    () => 2 ** ((random() % 120) - 60) * (2 - 2 ** -52),
    () => 0,
  ] as const;
  const one = () => (random() % 2 === 0 ? 1 : -1) * (kinds[random() % kinds.length] as () => number)();
  return Array.from({ length: 40000 }, (_, i): [number, number] => {
    const a = one();
    // A third of the pairs cancel each other almost, or exactly.
    const b = i % 3 > 0 ? one() : -a * (1 + ((random() % 9) - 4) * 2 ** -52) * 2 ** ((random() % 3) - 1);
    return [a + 0, b === 0 ? 3 : b];
  });
}

/** Numbers of random bits, of all exponents but those of infinities and of numbers below 2^-1022. */
function randomBits(): [number, number][] {
  const random = testRandom(11);
  const words = new Uint32Array(2);
  const numberOf = (exponent: number) => {
    words[0] = random();
    words[1] = ((random() % 2) * 2 ** 31 + exponent * 2 ** 20 + (random() % 2 ** 20)) >>> 0;
    return new Float64Array(words.buffer)[0] as number;
  };
  return Array.from({ length: 20000 }, (_, i): [number, number] => {
    const first = 1 + (random() % 2046);
    // Of two thirds of the pairs, the exponents are so near that both numbers count in the sum.
    const near = Math.max(1, Math.min(2046, first + (random() % 120) - 60));
    return [numberOf(first), numberOf(i % 3 === 0 ? 1 + (random() % 2046) : near)];
  });
}

/** Pairs whose sums or products lie in the middle between two doubles, or whose quotients lie next to it. */
function ties(): [number, number][] {
  const random = testRandom(13);
  const bits = (count: number) => 2 ** (count - 1) + (random() % 2 ** (count - 1));
  const kinds = [
    // A sum with half of the last place, and with a little more or less than that.
    () => [bits(27) * 2 ** 26 + bits(26), (0.5 + ((random() % 3) - 1) * 2 ** -(20 + (random() % 34))) * (random() % 2 || -1)],
    // A carry through all digits.
    () => [2 ** 53 - 1, 0.5 * (1 + (random() % 3))],
    // A product of 53 or 54 digits, the last of which is 1.
    () => [bits(27) | 1, bits(27) | 1],
    () => {
      const divisor = bits(27) * 2 ** 26 + bits(26);
      return [divisor * (1 + (bits(26) * 2 - 1) * 2 ** -53), divisor];
    },
  ] as const;
  return Array.from({ length: 20000 }, (_, i): [number, number] => {
    const [a, b] = (kinds[i % kinds.length] as () => [number, number])();
    const scale = 2 ** ((random() % 400) - 200);
    return [a * scale * (random() % 2 || -1), b * scale];
  });
}

test.each([
  ['few and many bits', someNumbers],
  ['random bits', randomBits],
  ['ties', ties],
])('sums, products and quotients of doubles are those of the CPU, bit by bit: %s', async (_, numbers) => {
  using scope = gpu.scope('test');
  const pairs = numbers();
  const swapped = (numbers: readonly number[]) => {
    const words = new Uint32Array(Float64Array.from(numbers).buffer);
    // The high word comes first.
    return words.map((_, i) => words[i ^ 1] as number);
  };
  const given = swapped(pairs.flat());
  const input = scope.storage('pairs', given.byteLength, given);
  const output = scope.storage('results', 2 * given.byteLength);
  await gpu
    .commands('test')
    .dispatch(gpu.kernel({ label: 'test', shader }), [input, output], Math.ceil(pairs.length / 64))
    .submit();
  const words = new Uint32Array((await gpu.read(output)).buffer);
  const found = new Float64Array(words.map((_, i) => words[i ^ 1] as number).buffer);
  const names = ['sum', 'product', 'quotient', 'floor'];
  const wrong: string[] = [];
  let compared = 0;
  for (const [i, [a, b]] of pairs.entries()) {
    const expected = [a + b, a * b, a / b, Math.max(-1023, Math.min(1023, Math.floor(a)))];
    for (const [j, value] of expected.entries()) {
      // The shader knows no infinities and no numbers as small as this one.
      if (!Number.isFinite(value) || Math.abs(value) === leastNormal) continue;
      compared++;
      // 0 and −0 are one number.
      const kept = Math.abs(value) < leastNormal ? 0 : value;
      if (found[4 * i + j] !== kept) wrong.push(`${names[j]} of ${a} and ${b}: ${found[4 * i + j]}, not ${kept}`);
    }
  }
  expect(wrong.slice(0, 9)).toEqual([]);
  expect(compared).toBeGreaterThan(3 * pairs.length);
});
