import type { ByteSink } from '../../shared/bytes.ts';
import { elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import type { PicturePlan } from './describe-pictures.ts';
import { PngWriter } from './png-writer.ts';
import { TiffWriter } from './tiff-writer.ts';

/** Takes the pictures of a plan, in order. */
export interface PictureWriter {
  /**
   * Takes the next rows of a picture: any number, but never from two pictures.
   * @param planes one for each sample of a pixel: whole rows of little-endian samples; not used after the promise resolves
   */
  rows(planes: readonly Uint8Array[]): Promise<void>;
}

/** The destination of the files. */
export interface PictureOutput {
  /** Opens the sink of a file in the plan. Called once per file, in order. */
  open(name: string): Promise<ByteSink>;
  /** Called when a file is complete. */
  close(sink: ByteSink): Promise<void>;
}

/**
 * Writes PNG, one file per picture, each closed when it is complete; or a single TIFF. @throws StriaError `corrupt`, and errors
 * of the sinks
 */
export function createPictureWriter(info: VolumeInfo, plan: PicturePlan, output: PictureOutput): PictureWriter {
  return plan.format === 'png' ? pngFiles(info, plan, output) : tiffFile(info, plan, output);
}

function pngFiles(info: VolumeInfo, { table, files }: PicturePlan, { open, close }: PictureOutput): PictureWriter {
  const planeBytes = info.dims[0] * info.dims[1] * elementBytes(info.type);
  let index = 0;
  let filled = 0;
  let current: { sink: ByteSink; writer: PngWriter } | undefined;
  const start = async () => {
    const [page, name] = [table.pages[index], files[index]];
    if (page === undefined || name === undefined) throw new RangeError(`there is no picture ${index}`);
    index++;
    const sink = await open(name);
    return { sink, writer: new PngWriter(info, table, page, (bytes) => sink.write(bytes)) };
  };
  return {
    async rows(planes) {
      current ??= await start();
      const { sink, writer } = current;
      await writer.rows(planes);
      filled += planes[0]?.byteLength ?? 0;
      if (filled < planeBytes) return;
      await writer.end();
      await close(sink);
      filled = 0;
      current = undefined;
    },
  };
}

function tiffFile(info: VolumeInfo, { table, files }: PicturePlan, { open, close }: PictureOutput): PictureWriter {
  let sink: ByteSink | undefined;
  const writer = new TiffWriter(info, table, async (bytes) => sink?.write(bytes));
  return {
    async rows(planes) {
      sink ??= await open(files[0] ?? '');
      await writer.rows(planes);
      if (writer.isWhole) await close(sink);
    },
  };
}
