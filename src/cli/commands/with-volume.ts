import type { Backend } from '../../core/chunks/backend.ts';
import { ContainerReader } from '../../core/format/container-reader.ts';
import { isContainer } from '../../core/format/container-start.ts';
import { isFileTree } from '../../core/io/common/file-tree.ts';
import type { OpenOptions, OpenVolume } from '../../core/io/common/volume-reader.ts';
import { openVolume } from '../../core/io/open-volume.ts';
import { isAddress } from '../../core/remote/address.ts';
import type { ByteSource } from '../../core/shared/bytes.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import { containerVolume } from '../../core/stream/restore/container-volume.ts';
import { createNodeTaskPool } from '../../node/node-task-pool.ts';
import type { StatsCommand } from '../arguments/parsed-command.ts';
import type { CoarserLevels } from '../pictures/gpu-volume.ts';
import { containerLevels, levelsOfPlain } from './coarser-levels.ts';
import { openWhenRead, siblingsOf, withInput } from './files.ts';

/**
 * @param paths the files that were read so far
 * @param coarser finds the levels in the file or beside it
 */
export type VolumeWork<T> = (
  volume: OpenVolume,
  paths: () => readonly string[],
  coarser?: () => Promise<CoarserLevels>,
) => Promise<T>;

/** Opens a .stria or any other file, folder or web address as a volume, runs the work, and closes it. @throws the readers' errors */
export function withVolume<T>(
  path: string,
  choice: Partial<Pick<StatsCommand, 'raw' | 'dataset' | 'axes' | 'threads'>> & Pick<OpenOptions, 'onRemark'>,
  backend: Backend,
  job: JobOptions,
  work: VolumeWork<T>,
): Promise<T> {
  return withInput(path, job, async (source, files) => {
    if (!choice.raw && !isFileTree(source) && isContainer(await source.read(0, 8, job))) {
      const container = await ContainerReader.open(source, job);
      const openPool = () => createNodeTaskPool(choice.threads);
      const levels = () => containerLevels(container, backend, openPool, job, isAddress(path));
      return work(await containerVolume(container, backend, job), () => files.paths, levels);
    }
    const siblings = siblingsOf(path, files, job);
    const volume = await openVolume(source, { siblings, ...choice, ...job });
    const levels = () => levelsOfPlain(volume, { source, siblings, dataset: choice.dataset }, backend, job);
    return work(volume, () => files.paths, levels);
  });
}

/** Opens pictures as one volume, runs the work, and closes them. @throws the readers' errors */
export async function withStack<T>(paths: readonly string[], job: JobOptions, work: VolumeWork<T>): Promise<T> {
  const { openStack } = await import('../../core/io/pictures/picture-stack.ts');
  const sources: ByteSource[] = [];
  for (const path of paths) sources.push(await openWhenRead(path, job));
  return work(await openStack(sources, job), () => paths);
}
