import { expect, test } from 'vitest';
import doublesShader from '../../../shaders/wave/doubles.wgsl';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { testRandom } from '../../codec/chunk-testing.ts';

const gpu = await openTestGpu();

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

test('sums, products and quotients of doubles are those of the CPU, bit by bit', async () => {
  using scope = gpu.scope('test');
  const pairs = someNumbers();
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
    .dispatch(gpu.kernel({ label: 'test', shader }), [input, output], pairs.length / 64)
    .submit();
  const words = new Uint32Array((await gpu.read(output)).buffer);
  const found = new Float64Array(words.map((_, i) => words[i ^ 1] as number).buffer);
  const names = ['sum', 'product', 'quotient', 'floor'];
  const wrong: string[] = [];
  for (const [i, [a, b]] of pairs.entries()) {
    const expected = [a + b, a * b, a / b, Math.max(-1023, Math.min(1023, Math.floor(a)))];
    for (const [j, value] of expected.entries()) {
      // 0 and −0 are one number.
      if (found[4 * i + j] !== value) wrong.push(`${names[j]} of ${a} and ${b}: ${found[4 * i + j]}, not ${value}`);
    }
  }
  expect(wrong.slice(0, 9)).toEqual([]);
});
