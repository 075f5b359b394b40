/**
 * A small WebAssembly assembler for the few loops of the CPU path in which JavaScript is too slow. SIMD makes them several
 * times as fast, and they need no build tool. Expressions nest as in the text format: `i32.add(a.get, i32.load(at.get))`.
 * Instruction codes are from the WebAssembly core specification 2.0, chapter 5.4.
 */

/** Instructions, as bytes, nested until assembly. An expression leaves its value on the stack; a statement leaves nothing. */
export type Code = readonly (number | Code)[];

/** An expression, or a constant i32. */
export type Value = Code | number;

const types = { i32: 0x7f, i64: 0x7e, v128: 0x7b } as const;
type ValueType = keyof typeof types;

/** A function's parameter or variable. */
export interface Local {
  readonly get: Code;
  set(value: Value): Code;
  /** Adds to the variable. For i32 only. */
  add(value: Value): Code;
}

const noLoad = 0;

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value >>> 0; ; rest >>>= 7) {
    if (rest < 0x80) return [...bytes, rest];
    bytes.push((rest & 0x7f) | 0x80);
  }
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value | 0; ; rest >>= 7) {
    const isLast = (rest >> 6 === 0 || rest >> 6 === -1) && rest >> 7 === rest >> 6;
    bytes.push(isLast ? rest & 0x7f : (rest & 0x7f) | 0x80);
    if (isLast) return bytes;
  }
}

const code = (value: Value): Code => (typeof value === 'number' ? [0x41, ...signed(value)] : value);
const operation =
  (...opcode: number[]) =>
  (...operands: Value[]): Code => [...operands.map(code), ...opcode];
const simd = (number: number) => operation(0xfd, ...unsigned(number));
/** Access to memory: any alignment, and a constant offset. */
const access =
  (...opcode: number[]) =>
  (address: Value, offset = 0): Code => [code(address), ...opcode, noLoad, ...unsigned(offset)];
const store =
  (...opcode: number[]) =>
  (address: Value, value: Value, offset = 0): Code => [code(address), code(value), ...opcode, noLoad, ...unsigned(offset)];

export const i32 = {
  load: access(0x28),
  load8: access(0x2d),
  load16: access(0x2f),
  store: store(0x36),
  store8: store(0x3a),
  store16: store(0x3b),
  eqz: operation(0x45),
  eq: operation(0x46),
  ne: operation(0x47),
  ltU: operation(0x49),
  ctz: operation(0x68),
  popcnt: operation(0x69),
  add: operation(0x6a),
  sub: operation(0x6b),
  mul: operation(0x6c),
  and: operation(0x71),
  or: operation(0x72),
  xor: operation(0x73),
  shl: operation(0x74),
  shrU: operation(0x76),
};
export const i64 = {
  /** 32 bits, sign-extended; i64 expressions take no bare numbers. */
  constant: (value: number): Code => [0x42, ...signed(value)],
  load: access(0x29),
  store: store(0x37),
  eqz: operation(0x50),
  ne: operation(0x52),
  ctz: operation(0x7a),
  popcnt: operation(0x7b),
  sub: operation(0x7d),
  and: operation(0x83),
  or: operation(0x84),
  xor: operation(0x85),
  shl: operation(0x86),
  shrU: operation(0x88),
  toI32: operation(0xa7),
  fromI32: operation(0xad),
};
/** A word with its lowest 1 bit cleared. */
export const withoutLowestBit = {
  i32: (word: Code): Code => i32.and(word, i32.sub(word, 1)),
  i64: (word: Code): Code => i64.and(word, i64.sub(word, i64.constant(1))),
};
export const v128 = {
  load: access(0xfd, 0),
  store: store(0xfd, 11),
  or: simd(80),
  xor: simd(81),
  anyTrue: simd(83),
};
export const i8x16 = { splat: simd(15), ne: simd(36), bitmask: simd(100) };
export const i16x8 = { splat: simd(16), ne: simd(46), bitmask: simd(132) };
export const i32x4 = {
  splat: simd(17),
  ne: simd(56),
  bitmask: simd(164),
  shrU: simd(173),
  add: simd(174),
  mul: simd(181),
  constant: (...lanes: readonly [number, number, number, number]): Code => [
    0xfd,
    12,
    ...lanes.flatMap((lane) => [lane, lane >>> 8, lane >>> 16, lane >>> 24].map((byte) => byte & 0xff)),
  ],
  extract: (lane: 0 | 1 | 2 | 3, vector: Code): Code => [vector, 0xfd, 27, lane],
};

/** Runs `then` if the condition is not 0. */
export function when(condition: Code, then: readonly Code[], otherwise: readonly Code[] = []): Code {
  return [condition, 0x04, 0x40, then, otherwise.length > 0 ? [0x05, otherwise] : [], 0x0b];
}

/** Runs `body`, and repeats it while the condition holds afterwards. */
export function doWhile(body: readonly Code[], condition: Code): Code {
  return [0x03, 0x40, body, condition, 0x0d, 0, 0x0b];
}

/** Runs `body` while the condition holds. */
export function whileTrue(condition: Code, body: readonly Code[]): Code {
  return when(condition, [doWhile(body, condition)]);
}

/** Fills `length` bytes with zeros. */
export function clear(address: Value, length: Value): Code {
  return [code(address), code(0), code(length), 0xfc, 11, 0];
}

export interface WasmFunction {
  readonly parameterCount: number;
  readonly variables: readonly ValueType[];
  /** Built on request, because few of the defined functions run. */
  statements(): Code;
}

/** A function with i32 parameters and without a result. @param variables names of its other variables, which start at 0 */
export function wasmFunction<
  Parameter extends string,
  Number extends string = never,
  Word extends string = never,
  Vector extends string = never,
>(
  parameters: readonly Parameter[],
  variables: { readonly i32?: readonly Number[]; readonly i64?: readonly Word[]; readonly v128?: readonly Vector[] },
  body: (locals: Readonly<Record<Parameter | Number | Word | Vector, Local>>) => readonly Code[],
): WasmFunction {
  type Locals = Readonly<Record<Parameter | Number | Word | Vector, Local>>;
  const numbers = variables.i32 ?? [];
  const words = variables.i64 ?? [];
  const vectors = variables.v128 ?? [];
  const names = [...parameters, ...numbers, ...words, ...vectors];
  return {
    parameterCount: parameters.length,
    variables: [...numbers.map(() => 'i32' as const), ...words.map(() => 'i64' as const), ...vectors.map(() => 'v128' as const)],
    statements: () => body(Object.fromEntries(names.map((name, number) => [name, local(number)])) as Locals),
  };
}

/** A module of these functions, which imports its memory. Every function is exported under its name. */
function assemble(functions: Readonly<Record<string, WasmFunction>>): Uint8Array<ArrayBuffer> {
  const names = Object.keys(functions);
  const all = Object.values(functions);
  const text = (value: string) => vector(Array.from(value, (character) => character.charCodeAt(0)));
  const section = (id: number, items: Code) => [id, withLength(vector(items))];
  const module = [
    [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    section(
      1,
      all.map(({ parameterCount }) => [0x60, vector(Array.from({ length: parameterCount }, () => types.i32)), 0]),
    ),
    section(2, [[text('host'), text('memory'), 0x02, 0x00, 0x01]]),
    section(
      3,
      all.map((_, type) => unsigned(type)),
    ),
    section(
      7,
      names.map((name, number) => [text(name), 0x00, unsigned(number)]),
    ),
    section(
      10,
      all.map(({ variables, statements }) => withLength([vector(variables.map((type) => [1, types[type]])), statements(), 0x0b])),
    ),
  ];
  return Uint8Array.from(bytesOf(module));
}

const vector = (items: Code): Code => [unsigned(items.length), items];

function withLength(code: Code): Code {
  const bytes = bytesOf(code);
  return [unsigned(bytes.length), bytes];
}

/** Plain loops, because this runs only a few times, before anything is compiled. */
function bytesOf(code: Code, bytes: number[] = []): number[] {
  for (let at = 0; at < code.length; at++) {
    const part = code[at] as number | Code;
    if (typeof part === 'number') bytes.push(part);
    else bytesOf(part, bytes);
  }
  return bytes;
}

function local(number: number): Local {
  const get = [0x20, ...unsigned(number)];
  const set = (value: Value): Code => [code(value), 0x21, ...unsigned(number)];
  return { get, set, add: (value) => set(i32.add(get, value)) };
}

/** The functions of a module, on this memory. Undefined if WebAssembly or its SIMD is missing or forbidden. */
export function instantiate<Name extends string>(
  functions: Readonly<Record<Name, WasmFunction>>,
  memory: WebAssembly.Memory,
): Readonly<Record<Name, (...parameters: number[]) => void>> | undefined {
  try {
    const module = new WebAssembly.Module(assemble(functions));
    return new WebAssembly.Instance(module, { host: { memory } }).exports as Record<Name, () => void>;
  } catch (error) {
    if (error instanceof WebAssembly.CompileError) return undefined;
    throw error;
  }
}
