import type { ByteSink } from '../../shared/bytes.ts';
import type { VolumeInfo } from '../../shared/volume.ts';
import type { PicturePlan } from './describe-pictures.ts';
import { encodePng } from './png-writer.ts';
import { TiffWriter } from './tiff-writer.ts';

/** Takes the pictures of a plan, in order. */
export interface PictureWriter {
  /** @param planes one for each sample of a pixel, `width × height` little-endian samples; not used after the promise resolves */
  write(planes: readonly Uint8Array[]): Promise<void>;
}

/** The file that bytes go to. */
export interface PictureOutput {
  /** The sink of a plan's file: asked for once each, in order. */
  open(name: string): Promise<ByteSink>;
  /** Says that a file is whole. */
  close(sink: ByteSink): Promise<void>;
}

/** Writes PNG, a file for each picture, each closed when it is whole; or one TIFF. @throws StriaError `corrupt`, of the sinks */
export function createPictureWriter(info: VolumeInfo, plan: PicturePlan, output: PictureOutput): PictureWriter {
  return plan.format === 'png' ? pngFiles(info, plan, output) : tiffFile(info, plan, output);
}

function pngFiles(info: VolumeInfo, { table, files }: PicturePlan, { open, close }: PictureOutput): PictureWriter {
  let index = 0;
  return {
    async write(planes) {
      const [page, name] = [table.pages[index], files[index]];
      if (page === undefined || name === undefined) throw new RangeError(`there is no picture ${index}`);
      index++;
      const bytes = encodePng(info, table, page, planes);
      const sink = await open(name);
      await sink.write(bytes);
      await close(sink);
    },
  };
}

function tiffFile(info: VolumeInfo, { table, files }: PicturePlan, { open, close }: PictureOutput): PictureWriter {
  let sink: ByteSink | undefined;
  let left = table.pages.length;
  const writer = new TiffWriter(info, table, async (bytes) => sink?.write(bytes));
  return {
    async write(planes) {
      sink ??= await open(files[0] ?? '');
      await writer.write(planes);
      if (--left === 0) await close(sink);
    },
  };
}
