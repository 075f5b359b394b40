import { type RayLook, wholeOf } from '../draw/ray-pass.ts';
import { RayStackPass, type RayVolume, rayStackBytes, rayStackFrame, rayStackRows } from '../draw/ray-stack.ts';
import { rayTransfer } from '../draw/ray-transfer.ts';
import type { Commands } from '../gpu/commands.ts';
import { openSample } from '../samples/sample.ts';
import type { DisplayTexture } from '../volume/display-texture.ts';
import { ResidentVolume } from '../volume/resident-volume.ts';
import type { BenchContext } from './harness/context.ts';
import { type FrameSize, measureTurning, oneBrick, TurningTarget, texelsPerStep, turned } from './view-turning.ts';

/** The layers that are drawn with the volume. The volume is opaque below a scan, and translucent with labels. */
const layers = [
  { kind: 'phantom', method: 'compositing of two volumes, lit', seed: 2, opacity: 1, layerOpacity: 0.5 },
  { kind: 'labels', method: 'compositing of a volume and labels, lit', seed: 1, opacity: 0.4, layerOpacity: 1 },
] as const;

/** The layer's cube: as large as the volume, turned about its upright axis by 20° and shifted by a fifth of its edge. */
const [cos, sin] = [Math.cos(Math.PI / 9), Math.sin(Math.PI / 9)];
const shift = 0.2;
// biome-ignore format: a matrix, column by column
const toUnit = [cos, 0, sin, 0, 0, 1, 0, 0, -sin, 0, cos, 0, 0.5 - 0.5 * (cos - sin) + shift, 0, 0.5 - 0.5 * (cos + sin), 1];
// biome-ignore format: a matrix
const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

interface TexturedVolume extends RayVolume {
  readonly display: DisplayTexture;
}

/** Cases of suite `view` with two volumes of the same size and type, each in its own place, drawn in one pass. */
export async function benchViewStack(
  context: BenchContext,
  display: DisplayTexture,
  window: RayLook['window'],
  target: FrameSize,
  bytes: number,
): Promise<void> {
  const { gpu, request, job } = context;
  const { size, type } = request;
  for (const { kind, method, seed, opacity, layerOpacity } of layers) {
    context.begin(kind);
    const sample = openSample({ kind, dims: [size, size, size], type, seed });
    const volume = await ResidentVolume.create(gpu, sample.info, { chunkShape: [64, 64, 64] });
    using scope = gpu.scope('bench.stack');
    try {
      for await (const piece of sample.voxels(job)) volume.append(piece);
      const { window: own, min, max } = await volume.statistics();
      const isLabels = kind === 'labels';
      const common = { extent: [1, 1, 1], outside: ['clamp', 'clamp'], level: 0.35, blending: 'over', smooth: true, isFloorOpaque: false } as const; // biome-ignore format: one line
      const volumes: TexturedVolume[] = [
        { ...common, display, toUnit: identity, window, opacity, isCategorical: false },
        {
          ...common,
          display: await volume.displayTexture(0),
          toUnit,
          window: isLabels ? [min, max] : own,
          opacity: layerOpacity,
          isCategorical: isLabels,
        },
      ];
      const stage = stageOf(context, scope, volumes, target);
      const subject = `phantom and ${kind} ${size}³ ${type}, turning`;
      await measureTurning(context, { x: `composite with ${kind}`, method, subject, bytes: 2 * bytes, copy: undefined, target, ...stage }); // biome-ignore format: one line
    } finally {
      volume.destroy();
    }
  }
}

function stageOf(
  { gpu }: BenchContext,
  scope: ReturnType<typeof gpu.scope>,
  volumes: readonly TexturedVolume[],
  size: FrameSize,
) {
  const pass = new RayStackPass(gpu);
  const target = new TurningTarget(gpu, scope, size);
  const frame = scope.buffer('frame', rayStackBytes(volumes.length), GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
  const texels: number[] = [];
  for (const [at, volume] of volumes.entries()) {
    // The first volume is gray, a scan over it reddish, and each label has its own colour.
    const part = at === 0 ? [1, 1, 1] : volume.isCategorical ? [0.4, 0.9, 0.6] : [1, 0.6, 0.3];
    const colors = Uint8Array.from({ length: 768 }, (_, index) => {
      const place = Math.floor(index / 3);
      return (part[index % 3] as number) * (volume.isCategorical ? 80 + ((place * 89) % 176) : place);
    });
    const rows = rayTransfer(colors, (place) => (volume.isCategorical ? Math.sign(place) : Math.max(0, place - 0.1)));
    const row = rows.subarray(0, 1024);
    if (!volume.isCategorical) texels.push(...rows);
    else for (let count = 0; count < rayStackRows(volume); count++) texels.push(...row);
  }
  const height = texels.length / 1024;
  const transfer = scope.texture('transfer', texels.length, {
    size: [256, height],
    format: 'rgba8unorm',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  gpu.device.queue.writeTexture({ texture: transfer }, new Uint8Array(texels), { bytesPerRow: 1024 }, [256, height]);
  const unskipped = volumes.map((volume) => ({
    ...volume,
    display: { ...volume.display, bricks: oneBrick(gpu, scope, volume.display) },
  }));
  const look = { attenuation: 8, lighting: true, clip: [[0, 1], [0, 1], [0, 1]] } as const; // biome-ignore format: three ranges
  const record = (commands: Commands, turn: number, isSkipping: boolean): void => {
    const shown = isSkipping ? volumes : unskipped;
    const strip = wholeOf(size);
    const parameters = rayStackFrame(shown, turned(turn, size), { ...look, projection: 'composite' }, texelsPerStep, strip);
    gpu.device.queue.writeBuffer(frame, 0, parameters);
    const inputs = { projection: 'composite', displays: shown.map(({ display }) => display), frame, transfer } as const;
    pass.record(commands.stage('draw'), inputs, target.texture, strip);
  };
  return {
    check: () => target.check('two volumes', record),
    draw: async (turn: number, onTimes: NonNullable<Commands['onTimes']>): Promise<void> => {
      const commands = gpu.commands('frame', onTimes);
      record(commands, turn, true);
      await commands.submit();
    },
  };
}
