import { afterEach, expect, test, vi } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import type { CodecElementBytes } from '../codec/codec.ts';
import type { Kernel, KernelDescriptor } from '../gpu/kernel.ts';
import { createKernels } from './kernels.ts';
import { codecs } from './registry.ts';

const gpu = await openTestGpu();
afterEach(() => vi.restoreAllMocks());

const keyOf = ({ label, variant, constants }: KernelDescriptor) => JSON.stringify([label, variant ?? {}, constants ?? {}]);

const cases = codecs.flatMap((codec) => codec.elementBytes.map((elementBytes) => ({ codec, elementBytes, name: codec.name })));

test.each(cases)(
  '$name, $elementBytes-byte elements: what is prepared is what decoding needs',
  async ({ codec, elementBytes }) => {
    // Nothing is compiled: the descriptors are compared.
    const [prepared, needed] = [new Set<string>(), new Set<string>()];
    vi.spyOn(gpu, 'prepareKernels').mockImplementation(async (descriptors) => {
      for (const descriptor of descriptors) prepared.add(keyOf(descriptor));
    });
    vi.spyOn(gpu, 'kernel').mockImplementation((descriptor) => {
      needed.add(keyOf(descriptor));
      return { label: descriptor.label } as Kernel;
    });
    const kernels = createKernels(codec, gpu);
    using scope = gpu.scope('test');
    for (const isChecked of [true, false]) {
      // A volume, one that is cut at its edges, and a picture.
      for (const shape of [[32, 32, 32] as const, [20, 17, 9] as const, [64, 64, 1] as const]) {
        prepared.clear();
        needed.clear();
        const parameters = codec.choose({ changes: [1, 1, 1] }, { shape, elementBytes }, { axis: 'auto' });
        const chunks = [{ origin: [0, 0, 0] as const, shape, parameters }];
        const target = boxOf(shape, elementBytes);
        const payloads = { buffer: target.buffer, byteOffsets: [0], byteLengths: [4] };
        kernels.prepareDecode(payloads, chunks, target, scope, isChecked ? scope.storage('faults', 4) : undefined);
        await kernels.prepareDecoders(elementBytes, chunks, isChecked);
        expect([...prepared].sort(), `${shape}, ${isChecked}`).toEqual([...needed].sort());
      }
    }

    function boxOf(dims: readonly [number, number, number], width: CodecElementBytes) {
      return { buffer: scope.storage('box', 4 * dims[0] * dims[1] * dims[2]), dims, elementBytes: width };
    }
  },
);
