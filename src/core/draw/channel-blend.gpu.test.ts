import { expect, test } from 'vitest';
import { openTestGpu } from '../../testing/node-gpu-testing.ts';
import { ChannelBlend, type ChannelPicture } from './channel-blend.ts';
import type { Blending } from './slice-pass.ts';

const gpu = await openTestGpu();
const [width, height] = [64, 2];

/** Premultiplied pixels that differ from channel to channel. */
const pixelOf = (channel: number, at: number): number[] => {
  const alpha = ((at * (3 + channel)) % 9) / 8;
  return [...[1, 2, 3].map((part) => alpha * (((at + channel * part) % 5) / 4)), alpha];
};

/** `blended` of shaders/draw/channel-blend.wgsl. */
function blended(under: readonly number[], over: readonly number[], blending: Blending): number[] {
  const covered = over.map((part, at) => part + (1 - (over[3] as number)) * (under[at] as number));
  if (blending === 'over') return covered;
  if (blending === 'maximum') return over.map((part, at) => Math.max(part, under[at] as number));
  return covered.map((part, at) => (at === 3 ? part : Math.min(1, (over[at] as number) + (under[at] as number))));
}

test.each([
  ['one channel', ['over']],
  ['five, in each way', ['over', 'add', 'maximum', 'over', 'add']],
] as const)('pictures of channels are blended in their order: %s', async (_, how) => {
  using scope = gpu.scope('blend');
  const usage = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST;
  const channels = how.map((blending, channel): ChannelPicture => {
    const picture = scope.texture('picture', 16 * width * height, { size: [width, height], format: 'rgba32float', usage });
    const floats = new Float32Array(Array.from({ length: width * height }, (_, at) => pixelOf(channel, at)).flat());
    gpu.device.queue.writeTexture({ texture: picture }, floats, { bytesPerRow: 16 * width }, [width, height]);
    return { picture, blending };
  });
  const target = scope.texture('target', 4 * width * height, {
    size: [width, height],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_SRC,
  });
  const buffer = scope.buffer('pixels', 4 * width * height, GPUBufferUsage.COPY_SRC);
  const commands = gpu.commands('blend');
  new ChannelBlend(gpu, scope).record(commands, channels, target, { width, height, from: 0, count: height });
  await commands
    .record((encoder) => encoder.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow: 4 * width }, [width, height]))
    .submit();
  const pixels = await gpu.read(buffer);
  const expected = Array.from({ length: width * height }, (_, at) =>
    how.reduce<number[]>((under, blending, channel) => {
      return channel === 0 ? pixelOf(0, at) : blended(under, pixelOf(channel, at), blending);
    }, []),
  ).flat();
  const most = expected.reduce((far, value, at) => Math.max(far, Math.abs(255 * value - (pixels[at] as number))), 0);
  expect(most).toBeLessThan(0.7);
});
