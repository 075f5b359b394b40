import { expect, test } from 'vitest';
import { BitReader, BitWriter } from './bits.ts';
import { testRandom } from './chunk-testing.ts';

/** Low bits of random numbers: [value, count], with 0 to 32 bits each. */
function randomBits(seed: number, length: number): [number, number][] {
  const random = testRandom(seed);
  return Array.from({ length }, () => {
    const count = random() % 33;
    return [count === 0 ? 0 : random() >>> (32 - count), count];
  });
}

/** The binary digits of each number, lowest first. */
function digitsOf(numbers: readonly [number, number][]): string {
  return numbers.map(([value, count]) => [...value.toString(2).padStart(count, '0')].reverse().join('').slice(0, count)).join('');
}

function digitsIn(bytes: Uint8Array): string {
  return digitsOf([...bytes].map((byte) => [byte, 8]));
}

test('bits fill each byte from the lowest up; zeros fill the last byte', () => {
  for (let length = 0; length < 100; length++) {
    const numbers = randomBits(length, length);
    const writer = new BitWriter(length);
    for (const [value, count] of numbers) writer.write(value, count);
    const digits = digitsOf(numbers);
    expect(writer.bitCount).toBe(digits.length);
    expect(digitsIn(writer.toBytes())).toBe(digits.padEnd(8 * Math.ceil(digits.length / 8), '0'));
  }
});

test("another writer's bits are appended at any bit offset", () => {
  for (let before = 0; before <= 32; before++) {
    const numbers = randomBits(before, 9);
    const other = new BitWriter(0);
    for (const [value, count] of numbers) other.write(value, count);
    const writer = new BitWriter(0);
    writer.write(0, before);
    writer.append(other);
    expect(digitsIn(writer.toBytes())).toMatch(new RegExp(`^0{${before}}${digitsOf(numbers)}0{0,7}$`));
  }
});

test('a reader reads what was written, and nothing after the end', () => {
  const numbers = randomBits(1, 200).filter(([, count]) => count <= 16);
  const writer = new BitWriter(0);
  for (const [value, count] of numbers) writer.write(value, count);
  for (let zeros = 0; zeros <= 15; zeros++) writer.write(1 << zeros, zeros + 1);
  const reader = new BitReader(writer.toBytes());
  for (const [value, count] of numbers) expect(reader.read(count)).toBe(value);
  for (let zeros = 0; zeros <= 15; zeros++) expect(reader.readUnary(15)).toBe(zeros);
  expect(() => reader.read(8)).toThrow(/too early/);
});

test('a prefix with too many zeros is refused', () => {
  expect(() => new BitReader(Uint8Array.of(0, 0, 1)).readUnary(15)).toThrow(/more than 15 zero bits/);
  expect(() => new BitReader(Uint8Array.of(0b1000)).readUnary(2)).toThrow(/more than 2 zero bits/);
});
