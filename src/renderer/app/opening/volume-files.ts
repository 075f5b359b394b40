import { isMeshName } from '../../../core/shared/mesh-names.ts';
import type { HostFile } from '../../host/host.ts';
import { joined } from '../loading/companions.ts';
import { type Dataset, groupDatasets } from '../loading/datasets.ts';
import { withStacks } from '../loading/picture-stacks.ts';
import { withSeries } from '../loading/series-files.ts';

/** The volumes among files, in order. Pictures of a stack, files of a series and files that belong together are one volume. */
export function volumesIn(files: readonly HostFile[]): readonly Dataset<HostFile>[] {
  return groupDatasets(withSeries(withStacks(files))).map((one) => ({ ...one, primary: joined(one) }));
}

/** Separates files of surfaces from other files. */
export function splitSurfaces(files: readonly HostFile[]): { readonly meshes: HostFile[]; readonly others: HostFile[] } {
  return { meshes: files.filter(isMeshFile), others: files.filter((file) => !isMeshFile(file)) };
}

function isMeshFile({ name, folder }: HostFile): boolean {
  return folder === undefined && isMeshName(name);
}
