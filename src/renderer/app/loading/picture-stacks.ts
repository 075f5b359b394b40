import { compareNatural } from '../../../core/io/pictures/natural-order.ts';
import { isOmeName } from '../../../core/shared/volume-names.ts';
import type { HostFile } from '../../host/host.ts';

const kinds = [/\.png$/i, /\.tiff?$/i];

/**
 * Several PNGs, or several TIFFs, opened together are one stack. One file represents all of them, in place of the first. It
 * has no `id`, since the shell could find only one picture by it. OME-TIFFs are left alone: they say how they belong together.
 */
export function withStacks(files: readonly HostFile[]): HostFile[] {
  return kinds.reduce<HostFile[]>((all, kind) => stacked(all, kind), [...files]);
}

function stacked(files: HostFile[], kind: RegExp): HostFile[] {
  const pictures = files.filter(({ name, pictures: inner }) => kind.test(name) && !inner && !isOmeName(name));
  const [first] = [...pictures].sort((a, b) => compareNatural(a.name, b.name));
  if (first === undefined || pictures.length < 2) return files;
  const stack: HostFile = {
    name: first.name.replace(/(\.[^.]*)$/, `-stack$1`),
    size: pictures.reduce((sum, { size }) => sum + size, 0),
    handle: first.handle,
    siblings: first.siblings,
    pictures: pictures.map(({ handle }) => handle),
    stackOf: pictures,
  };
  return files.flatMap((file) => (file === pictures[0] ? [stack] : pictures.includes(file) ? [] : [file]));
}
