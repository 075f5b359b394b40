import type { RgbaPicture } from '../../../core/io/pictures/rgba-png.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';
import type { Host, HostFolder } from '../../host/host.ts';
import { frameName } from '../../viewer/model/movie-frames.ts';
import type { ViewPicture } from '../../viewer/model/picture.ts';
import { PngEncoder } from './png-encoder.ts';
import { zipFolder } from './zip-folder.ts';

/** Receives a movie's frames in order. Unless it is closed, no file remains. */
export interface MovieTarget {
  readonly name: string;
  /** The folder that it is saved in, to show. */
  readonly folder: string;
  /** Shows the result in the system's file manager, if the shell can. */
  readonly reveal?: (() => Promise<void>) | undefined;
  /** Takes the picture's buffer. @param text metadata of the picture's file */
  write(index: number, picture: ViewPicture, text: RgbaPicture['text']): Promise<void>;
  /** Resolves with the final name of the file or folder. */
  close(): Promise<string>;
  abort(): Promise<void>;
}

/** Whether this browser might be able to encode videos. `openVideoFrames` finds out which. */
export function canEncodeVideo(): boolean {
  return typeof VideoEncoder !== 'undefined';
}

/** Numbered PNGs in a new folder, or in a ZIP file if the shell has no folders. Undefined if the user cancelled. */
export async function openPictureFrames(
  host: Pick<Host, 'saveAs' | 'saveFolder' | 'canSaveFolder'>,
  name: string,
  count: number,
  signal: AbortSignal,
): Promise<MovieTarget | undefined> {
  const folder = host.canSaveFolder() ? await host.saveFolder(name) : await openZip(host, name);
  return folder && pictureFrames(folder, count, signal);
}

async function openZip(host: Pick<Host, 'saveAs'>, name: string): Promise<HostFolder | undefined> {
  const sink = await host.saveAs(`${name}.zip`);
  return sink && zipFolder(sink, name);
}

function pictureFrames(folder: HostFolder, count: number, signal: AbortSignal): MovieTarget {
  const encoder = new PngEncoder();
  const end = () => encoder.end();
  signal.addEventListener('abort', end);
  const release = () => {
    signal.removeEventListener('abort', end);
    end();
  };
  return {
    name: folder.name,
    folder: folder.folder,
    reveal: folder.reveal,
    async write(index, picture, text) {
      const png = await encoder.encode(picture, text);
      throwIfAborted(signal);
      await folder.write(frameName(index, count), png);
    },
    async close() {
      release();
      return folder.close();
    },
    async abort() {
      release();
      await folder.abort();
    },
  };
}
