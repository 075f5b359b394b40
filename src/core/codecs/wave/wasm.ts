import moduleBytes from '../../../assembly/wave/index.ts?assembly';
import { chunkBytes } from '../../codec/batch.ts';
import type { ReferenceCodec, WasmCodec } from '../../codec/codec.ts';
import { StriaError } from '../../shared/errors.ts';
import type { Dims3 } from '../../shared/volume.ts';
import { lazyModule, type WasmModule } from '../../shared/wasm-module.ts';
import { fitPeriod, fitSums, newCounts, surveyPeriod } from './choose.ts';
import { corruptPart } from './header.ts';
import { laneLimit } from './layout.ts';
import type { Loops } from './loops.ts';
import type { Coding, Model } from './model.ts';
import { codecBy } from './reference.ts';
import { packedTables } from './tables.ts';

/** The addresses for a loop, as many as any loop needs. */
type Eight = readonly [number, number, number, number, number, number, number, number];

type Name = 'historyBytes' | 'slicesBytes' | 'fit' | 'count' | 'encode' | 'decode';

/** Extra memory after a lane's limit, so that a longer lane is detected. */
const laneSlack = 16;
/** The maximum number of bytes of an element's codes. */
const codeBytes = 28;
/** A damaged lane is read past its end by at most this many bytes for each element of a row. */
const readAhead = 14;

const waveModule = lazyModule<Name>(moduleBytes);
/** The codec of this thread. */
let codec: ReferenceCodec | undefined;

function wave(): ReferenceCodec | undefined {
  const module = waveModule();
  if (module) codec ??= codecBy(loopsIn(module));
  return codec;
}

/** The codec with the loops of src/assembly/wave. */
export const wasm: WasmCodec = {
  encode(chunk, parameters) {
    if (parameters.byteLength > 0 || chunk.bytes.byteLength !== chunkBytes(chunk)) return undefined;
    return wave()?.encode(chunk, parameters);
  },

  decode(payload, chunk, parameters) {
    try {
      return wave()?.decode(payload, chunk, parameters);
    } catch (error) {
      if (error instanceof StriaError && error.tag === 'corrupt') return undefined;
      throw error;
    }
  },
};

function loopsIn(module: WasmModule<Name>): Loops {
  const tables = new Uint8Array(packedTables().buffer);
  /** Allocates memory for the model and for arrays of these sizes in bytes. */
  const roomFor = (model: Model, ...sizes: number[]) => {
    const words = modelWords(model);
    const { memory, at } = module.room(4 * words.length, ...sizes);
    memory.set(new Uint8Array(words.buffer), at[0]);
    return { memory, at: at as unknown as Eight };
  };
  const slicesBytes = ([x, y]: Dims3) => module.call('slicesBytes', x, y);
  const bytesOf = (array: Uint16Array | Int32Array | Uint32Array) =>
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

  return {
    fit(model, values, extent, byResiduals) {
      const { memory, at } = roomFor(model, slicesBytes(extent), values.byteLength, 16 * fitSums);
      memory.set(bytesOf(values), at[2]);
      memory.fill(0, at[3], at[3] + 16 * fitSums);
      module.call('fit', at[2], ...extent, at[0], at[1], Number(byResiduals), fitPeriod(extent, byResiduals), at[3]);
      const sums = new Float64Array(memory.slice(at[3], at[3] + 16 * fitSums).buffer);
      return [sums.subarray(0, fitSums), sums.subarray(fitSums)];
    },

    count(model, values, extent) {
      const counts = newCounts();
      const size = counts.distances.byteLength + counts.elements.byteLength + counts.tokens.byteLength;
      const { memory, at } = roomFor(model, slicesBytes(extent), values.byteLength, size);
      memory.set(bytesOf(values), at[2]);
      memory.fill(0, at[3], at[3] + size);
      module.call('count', at[2], ...extent, at[0], at[1], surveyPeriod(extent), at[3]);
      let from = at[3];
      for (const array of [counts.distances, counts.elements, counts.tokens]) {
        bytesOf(array).set(memory.subarray(from, from + array.byteLength));
        from += array.byteLength;
      }
      return counts;
    },

    encode(model, coding, values, extent) {
      const choices = codingWords(coding);
      const height = extent[1];
      const laneRoom = laneLimit(extent, model.bits) + laneSlack;
      const sizes = [choices.byteLength, tables.byteLength, codeBytes * values.length, laneRoom * height, 4 * height];
      const { memory, at } = roomFor(model, slicesBytes(extent), values.byteLength, ...sizes);
      const [modelAt, work, from, choicesAt, tablesAt, codes, lanes, lengthsAt] = at;
      memory.set(bytesOf(values), from);
      memory.set(bytesOf(choices), choicesAt);
      memory.set(tables, tablesAt);
      const parameters = [from, ...extent, modelAt, work, choicesAt, tablesAt, codes, lanes, laneRoom, lengthsAt];
      if (module.call('encode', ...parameters) === 0) return undefined;
      const lengths = new Uint32Array(memory.slice(lengthsAt, lengthsAt + 4 * height).buffer);
      if (lengths.some((length) => length > laneRoom - laneSlack)) return undefined;
      return Array.from(lengths, (length, lane) => {
        const end = lanes + (lane + 1) * laneRoom;
        return memory.subarray(end - length, end);
      });
    },

    decode(model, coding, bytes, laneLengths, extent) {
      const choices = codingWords(coding);
      const count = extent[0] * extent[1] * extent[2];
      const lengths = Uint32Array.from(laneLengths);
      const laneBytes = bytes.byteLength + readAhead * extent[0];
      const sizes = [laneBytes, lengths.byteLength, choices.byteLength, tables.byteLength, 2 * count];
      const { memory, at } = roomFor(model, module.call('historyBytes', ...extent), ...sizes);
      const [modelAt, work, lanes, lengthsAt, choicesAt, tablesAt, to] = at;
      memory.set(bytes, lanes);
      memory.set(bytesOf(lengths), lengthsAt);
      memory.set(bytesOf(choices), choicesAt);
      memory.set(tables, tablesAt);
      const isSound = module.call('decode', lanes, lengthsAt, ...extent, modelAt, work, choicesAt, tablesAt, to) !== 0;
      if (!isSound) throw corruptPart('has a lane that is not sound');
      return new Uint16Array(memory.slice(to, to + 2 * count).buffer);
    },
  };
}

/** The words of a model, which `startModel` of src/assembly/wave explains. */
function modelWords({ fraction, range, specials, weights, firstWeights }: Model): Int32Array<ArrayBuffer> {
  return Int32Array.of(fraction, range, specials.length, specials[0] ?? 0, specials[1] ?? 0, ...weights, ...firstWeights);
}

function codingWords({ levels, residualBias, gradientBias }: Coding): Int32Array<ArrayBuffer> {
  return Int32Array.of(...levels, ...residualBias, ...gradientBias);
}
