import type { Gpu } from '../gpu/gpu.ts';
import { StriaError } from '../shared/errors.ts';
import { nextTurn } from '../shared/turn.ts';
import { type BrickKey, brickKey, brickOf } from './brick.ts';
import type { BrickSource } from './brick-source.ts';
import { type GpuBrickLimits, GpuBricks } from './gpu-bricks.ts';
import { HostBricks } from './host-bricks.ts';
import type { HostLimits } from './host-limits.ts';
import { Stall } from './stall.ts';

/** The settings of a simulated walk through a volume. */
export interface BrickWalk {
  readonly frames: number;
  readonly host: Partial<HostLimits>;
  readonly gpu: Partial<GpuBrickLimits>;
  /** The number of bricks along each axis that are wanted at each level. */
  readonly reach: number;
  readonly signal?: AbortSignal | undefined;
}

/** After this long without any progress, the walk fails. */
const stuckMs = 30_000;

/** Counters of a walk, and the memory that it needed. */
export interface BrickWalkReport {
  readonly frames: number;
  readonly decoded: number;
  readonly evicted: number;
  readonly read: number;
  readonly failed: number;
  /** The maximum number of bytes at any check. */
  readonly hostBytes: number;
  readonly gpuBytes: number;
}

/**
 * Flies through a volume on a curve, with a jump now and then. Each frame wants the bricks around a position at every level, and checks
 * that no budget is exceeded. At the end it waits until all bricks have arrived.
 * @throws StriaError `internal` if a budget is exceeded or if bricks never arrive; `aborted`
 */
export async function lookAround(gpu: Gpu, source: BrickSource, walk: BrickWalk): Promise<BrickWalkReport> {
  const gpuBefore = gpu.memory.liveBytes();
  const host = new HostBricks(source, walk.host);
  const bricks = new GpuBricks(gpu, host, walk.gpu);
  const most = { hostBytes: 0, gpuBytes: 0 };
  const check = () => {
    const { keptBytes, reservedBytes } = host.use;
    most.hostBytes = Math.max(most.hostBytes, keptBytes + reservedBytes);
    most.gpuBytes = Math.max(most.gpuBytes, gpu.memory.liveBytes() - gpuBefore);
    checkBudgets(host, bricks, walk);
  };
  try {
    for (let frame = 0; frame < walk.frames; frame++) {
      if (walk.signal?.aborted) throw new StriaError('aborted', 'cancelled');
      bricks.want(around(source, placeAt(frame), walk.reach));
      check();
      bricks.update();
      check();
      await nextTurn();
      check();
    }
    const stall = new Stall(stuckMs);
    while (!bricks.isSettled) {
      const isStuck = stall.isOver(bricks.use.decoded + host.use.reads, bricks.atlas.isCompiling);
      if (isStuck) throw new StriaError('internal', 'the last bricks never arrive');
      bricks.update();
      await nextTurn();
      check();
    }
    const { decoded, evicted } = bricks.use;
    const { bricksRead, failed } = host.use;
    return { frames: walk.frames, decoded, evicted, read: bricksRead, failed, ...most };
  } finally {
    bricks.close();
    host.close();
  }
}

/** Checks the budgets of all tiers. @throws StriaError `internal` if a tier holds more than its budget */
export function checkBudgets(host: HostBricks, bricks: GpuBricks, limits: Pick<BrickWalk, 'host' | 'gpu'>): void {
  const { keptBytes, reservedBytes } = host.use;
  const { atlasBytes, poolBytes, usedSlots, slots } = bricks.use;
  const { payloadBytes, atlasBytes: mostAtlasBytes } = limits.gpu;
  const isOver =
    (limits.host.bytes !== undefined && keptBytes + reservedBytes > limits.host.bytes) ||
    (payloadBytes !== undefined && poolBytes > payloadBytes) ||
    (mostAtlasBytes !== undefined && atlasBytes > mostAtlasBytes + 16 * slots) ||
    usedSlots > slots;
  if (isOver) throw new StriaError('internal', `a budget is exceeded: ${JSON.stringify({ ...host.use, ...bricks.use })}`);
}

/** A frame's position in the cube, on a curve with a jump at every 500th frame. */
function placeAt(frame: number): readonly [number, number, number] {
  const way = frame / 900 + 0.37 * Math.floor(frame / 500);
  return [0.5 + 0.45 * Math.sin(way), 0.5 + 0.45 * Math.sin(1.7 * way + 1), 0.5 + 0.45 * Math.cos(2.3 * way)];
}

/** The bricks around a position at every level, coarse ones first. */
function around({ levels }: BrickSource, place: readonly [number, number, number], reach: number): BrickKey[] {
  const keys: BrickKey[] = [];
  for (const [level, { grid }] of [...levels.entries()].reverse()) {
    const [nx, ny, nz] = grid.counts;
    const first = [nx, ny, nz].map((count, axis) =>
      Math.max(0, Math.min(count - reach, Math.floor((place[axis] as number) * count - reach / 2))),
    ) as [number, number, number];
    const [x, y, z] = first;
    for (let atZ = z; atZ < Math.min(nz, z + reach); atZ++)
      for (let atY = y; atY < Math.min(ny, y + reach); atY++)
        for (let atX = x; atX < Math.min(nx, x + reach); atX++)
          keys.push(brickKey({ level, number: (atZ * ny + atY) * nx + atX }));
  }
  return keys.sort((a, b) => brickOf(b).level - brickOf(a).level);
}
