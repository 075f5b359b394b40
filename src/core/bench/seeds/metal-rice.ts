import decodeShader from '../../../shaders/bench/metal-rice.wgsl';
import { defaultChunkShape } from '../../chunks/chunk-shape.ts';
import { codecByName } from '../../codecs/registry.ts';
import { benchCodec } from '../harness/codec-cases.ts';
import { sampleBytes } from '../harness/codecs.ts';
import { type BenchContext, type CaseFacts, caseOf, shareOf } from '../harness/context.ts';
import { expectSame } from '../harness/expect-same.ts';
import { decodeMetalRice, encodeMetalRice } from './metal-rice-layout.ts';

const standIn = 'a slice of the sample phantom, equally noisy, replaces the original photograph, which is not available';

/** Times decoding of MetalRice's picture in MetalRice's layout and in Stria's. Sizes include all tables. */
export async function benchMetalRice(context: BenchContext): Promise<void> {
  const { gpu, meter, job } = context;
  const [width, height] = shareOf(context) === 1 ? [2048, 1536] : [512, 384];
  const subject = `phantom ${width} × ${height}`;
  context.begin('MetalRice: the picture');
  // Three slices; the middle one is inside the head.
  const pixels = (await sampleBytes('phantom', [width, height, 3], 'u8', job)).slice(width * height, 2 * width * height);
  const picture = encodeMetalRice(pixels, width, height);
  using scope = gpu.scope('bench.metal-rice');
  const buffer = scope.storage('pixels', pixels.byteLength, pixels);
  const copy = await meter.copyOf(buffer);
  const tableBytes = picture.parameters.byteLength + picture.offsets.byteLength;
  const facts = {
    table: 'metal-rice',
    subject,
    operation: 'decode',
    inputBytes: pixels.byteLength,
    outputBytes: picture.streamBytes + tableBytes,
    movedBytes: picture.streamBytes + tableBytes + pixels.byteLength,
    movedBytesAre: 'passes',
    note: `${picture.streamBytes} bytes of stream and ${tableBytes} of tables; ${standIn}`,
  } as const;

  context.begin('MetalRice: its kernel');
  const blocks = pixels.byteLength / 32 ** 2;
  const uniform = scope.uniform('picture', [width, blocks]);
  const stream = scope.storage('stream', picture.stream.byteLength, picture.stream);
  const parameters = scope.storage('parameters', picture.parameters.byteLength, picture.parameters);
  const offsets = scope.storage('offsets', picture.offsets.byteLength, picture.offsets);
  const target = scope.storage('target', pixels.byteLength);
  const kernel = gpu.kernel({ label: 'bench.metal-rice', shader: decodeShader });
  const timing = await meter.timeCommands('metal-rice', (commands) => {
    commands.stage('decode').dispatch(kernel, [uniform, stream, parameters, offsets, target], blocks);
  });
  expectSame(await gpu.read(target), pixels, `MetalRice on ${subject}`);
  const own: CaseFacts = {
    ...facts,
    x: 'MetalRice',
    method: 'MetalRice',
    processor: 'gpu',
    verified: 'compared byte by byte with the picture',
  };
  context.add(caseOf(own, timing, copy));

  context.begin('MetalRice: a CPU thread');
  const decoded = new Uint8Array(pixels.byteLength);
  const cpu = await meter.timeCpu(() => decodeMetalRice(picture, decoded));
  expectSame(decoded, pixels, `MetalRice on a CPU thread, ${subject}`);
  context.add(caseOf({ ...own, x: 'one CPU thread', method: 'MetalRice, one CPU thread', processor: 'cpu' }, cpu, copy));

  context.begin('MetalRice: Stria');
  const voxels = { buffer, dims: [width, height, 1], elementBytes: 1 } as const;
  const chunkShape = defaultChunkShape({ dims: [width, height, 1, 1], type: 'u8' });
  const codec = codecByName('rice');
  const method = 'Stria rice';
  const work = {
    table: 'metal-rice',
    subject,
    x: method,
    codec,
    method,
    voxels,
    expected: pixels,
    chunkShape,
    axis: 'auto',
  } as const;
  await benchCodec(context, work);
}
