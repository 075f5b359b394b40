import { isOmeName } from '../../../core/shared/volume-names.ts';
import { folderFile } from '../../host/folder-files.ts';
import type { HostFile } from '../../host/host.ts';

/** Names of files in a series. Scanners write many files without an extension. */
const seriesFile = /\.(dcm|dicom|ima)$|^[^.]+$|^[\d.]+$/i;

/** Treats several files that are opened together like a folder, if their format spreads a volume over files. */
export function withSeries(files: readonly HostFile[]): HostFile[] {
  const isPart = ({ name, folder, pictures }: HostFile) => !folder && !pictures && (seriesFile.test(name) || isOmeName(name));
  const parts = files.filter(isPart);
  const [first] = parts;
  if (first === undefined || parts.length < 2) return [...files];
  const name = `${first.name} and ${parts.length - 1} more`;
  const series = folderFile({ kind: 'files', name, files: parts.map(({ name: path, handle }) => ({ path, handle })) });
  return [series, ...files.filter((file) => !isPart(file))];
}
