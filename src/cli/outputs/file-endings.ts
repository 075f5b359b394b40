import { StriaError } from '../../core/shared/errors.ts';
import { formatOfEnding } from '../../core/shared/readable-formats.ts';

/** Refuses a name whose ending belongs to another format than the file's. @throws StriaError `invalid-input` */
export function checkEnding(path: string, holds: 'stria' | 'png' | undefined): void {
  if (holds === undefined) return;
  const format = formatOfEnding(path.replace(/\.gz$/i, ''));
  const isOther = format !== undefined && format !== holds;
  // NIfTI and Analyze share .hdr and .img. A .gz would not be gzipped.
  if (!isOther && !/\.(hdr|img|gz|jpe?g|gif|webp|bmp|svg|pdf|eps)$/i.test(path)) return;
  const name = holds === 'png' ? 'PNG' : '.stria';
  throw new StriaError('invalid-input', `${path}: the output is a ${name} file; end its name with .${holds}`);
}
