import type { Backend, EncodeChoice } from '../../chunks/backend.ts';
import { chunkShapeOf } from '../../chunks/chunk-shape.ts';
import { chunkGridOf } from '../../format/chunk-grid.ts';
import { levelVolume } from '../../format/level.ts';
import type { OpenVolume } from '../../io/common/volume-reader.ts';
import { LabelEvidence } from '../../levels/label-evidence.ts';
import { type PlannedHalving, planLevels } from '../../levels/level-plan.ts';
import { LevelStack } from '../../levels/level-stack.ts';
import type { ByteSink, ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { HalvingMethod } from '../../shared/halving.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { elementBytes, typedVoxels, type VolumeInfo, volumeBytes } from '../../shared/volume.ts';
import { type VolumeLevel, wholeFactors } from '../../shared/volume-level.ts';
import { levelsName } from '../../shared/volume-names.ts';
import { compressVolume } from '../compress/compress.ts';
import type { CompressReport } from '../compress/compress-contract.ts';
import { rawSource } from '../memory-volume.ts';
import { readVoxels } from '../voxel-reader.ts';
import { randomAccess } from './random-access.ts';
import { voxelsPrint } from './voxels-print.ts';

export interface MakeLevelsSettings {
  readonly backend: Backend;
  readonly choice: EncodeChoice;
  /** Undefined: what the voxels suggest. */
  readonly method?: HalvingMethod | undefined;
  /** The finest level to make. Default 1: the one after the volume itself. */
  readonly firstLevel?: number | undefined;
}

/** The volume itself and the levels that `makeLevels` gives it. Only the volume if it is small enough as it is. */
export function levelsToMake(info: VolumeInfo): readonly VolumeLevel[] {
  const levels = halvingsOf(info).filter(({ level }) => level !== undefined);
  return [
    { dims: info.dims, factors: wholeFactors },
    ...levels.map(({ factors }): VolumeLevel => ({ dims: levelVolume(info, factors).dims, factors })),
  ];
}

function halvingsOf(info: VolumeInfo): readonly PlannedHalving[] {
  const [x, y, z] = chunkShapeOf(info, false);
  return planLevels(info, [x, y, z, 1]);
}

/**
 * Writes the levels of a file without levels as a container of their own: its volume is the first level, its levels are the others. All voxels
 * are read once, in order, in the memory of `LevelStack`. The sink is closed once everything is written, or aborted once if anything
 * fails. docs/FORMAT.md, 'Levels beside a file'.
 * @param source the file that the volume was opened from
 * @throws StriaError `unsupported` if the file can only be read in order, or has levels of its own; `invalid-input` if the volume needs
 * no levels; as `compressVolume`
 */
export async function makeLevels(
  volume: OpenVolume,
  source: Pick<ByteSource, 'name' | 'modifiedMs'>,
  sink: ByteSink,
  settings: MakeLevelsSettings,
  job: JobOptions = {},
): Promise<CompressReport> {
  let plan: Parameters<typeof compressVolume>;
  try {
    plan = await planLevelsOf(volume, source, sink, settings, job);
  } catch (error) {
    await sink.abort();
    throw error;
  }
  return compressVolume(...plan);
}

async function planLevelsOf(
  volume: OpenVolume,
  source: Pick<ByteSource, 'name' | 'modifiedMs'>,
  sink: ByteSink,
  settings: MakeLevelsSettings,
  job: JobOptions,
): Promise<Parameters<typeof compressVolume>> {
  const { info } = volume;
  const access = await randomAccess(volume, job);
  if (!access) throw new StriaError('unsupported', whyNoLevels(volume));
  const voxels = await voxelsPrint(info, access.fill, job).finally(access.close);
  const all = halvingsOf(info);
  const halvings = all.slice(0, all.findIndex(({ level }) => level === (settings.firstLevel ?? 1)) + 1);
  const first = halvings.at(-1);
  if (!first) throw new StriaError('invalid-input', 'no axis is longer than 128 voxels, so the volume needs no levels');
  const method = settings.method ?? (await seenMethod(volume, job));
  const { backend, choice } = settings;
  // A time before 1970 cannot be stored.
  const modifiedMs = source.modifiedMs !== undefined && source.modifiedMs >= 0 ? source.modifiedMs : undefined;
  const levelsOf = { factors: first.factors, voxels, modifiedMs };
  const chunkShape = [...first.chunkShape, 1] as const;
  const coarse = coarseVolume(volume, halvings, method, levelsName(source.name, undefined));
  return [coarse, sink, { backend, choice, chunkShape, levels: method, levelsOf }, job];
}

/** Why no levels are made for a file that has no `randomAccess`. */
export function whyNoLevels({ leveled }: Pick<OpenVolume, 'leveled'>): string {
  return leveled
    ? 'the file has levels of its own, so it needs none beside it'
    : 'the file can only be read in order, so levels beside it would be of little use; compress it to a .stria with levels';
}

/** A volume whose voxels are those of a level, made as they are read. */
function coarseVolume(volume: OpenVolume, halvings: readonly PlannedHalving[], method: HalvingMethod, name: string): OpenVolume {
  const { info } = volume;
  const { factors } = halvings.at(-1) as PlannedHalving;
  const [x, y, z] = chunkShapeOf(info, false);
  // Those before it are only steps on the way.
  const steps = halvings.map((halving, at) => ({ ...halving, level: at === halvings.length - 1 ? 1 : undefined }));
  return {
    info: levelVolume(info, factors),
    format: 'raw',
    async *voxels({ signal } = {}) {
      const stack = new LevelStack(info, chunkGridOf(info, [x, y, z, 1]), steps, method);
      for await (const piece of volume.voxels({ reuse: true, signal })) {
        throwIfAborted(signal);
        await stack.push(piece);
        for (const { memory } of stack.takeRuns(Number.POSITIVE_INFINITY)) yield memory.bytes;
      }
    },
    source: async () => rawSource(name),
  };
}

/** Looks at the volume's planes until they show how to halve it. */
export async function seenMethod(
  volume: Pick<OpenVolume, 'info' | 'fill' | 'voxels'>,
  { signal }: JobOptions,
): Promise<HalvingMethod> {
  const { info } = volume;
  const evidence = new LabelEvidence(info);
  const [width, height] = info.dims;
  const bytes = new Uint8Array(width * height * elementBytes(info.type));
  const reader = readVoxels(volume, signal);
  try {
    for (let at = 0; at < volumeBytes(info) && !evidence.isDecided; at += bytes.byteLength) {
      throwIfAborted(signal);
      await reader.fill(bytes);
      evidence.add(typedVoxels(info.type, bytes), [width, height, 1]);
    }
  } finally {
    await reader.close();
  }
  return evidence.method;
}
