import { Zip, ZipPassThrough } from 'fflate';
import { StriaError } from '../../../core/shared/errors.ts';
import type { HostFolder, HostSink } from '../../host/host.ts';

/** Offsets in a ZIP without the ZIP64 extension have 32 bits, and its directory needs some of that space. */
const mostBytes = 2 ** 32 - 2 ** 24;

/**
 * A folder in a ZIP file, for shells without folders on disk. Files are stored uncompressed and written as they arrive.
 * @param sink receives the ZIP; closed or aborted with it
 */
export function zipFolder(sink: HostSink, folderName: string): HostFolder {
  let ready: Uint8Array[] = [];
  let written = 0;
  const zip = new Zip((error, bytes) => {
    if (error) throw error;
    ready.push(bytes);
  });
  const flush = async () => {
    const parts = ready;
    ready = [];
    for (const part of parts) {
      written += part.byteLength;
      await sink.write(part);
    }
  };
  return {
    name: sink.name,
    folder: sink.folder,
    reveal: sink.reveal,
    async write(fileName, bytes) {
      if (written + bytes.byteLength > mostBytes) {
        throw new StriaError(
          'unsupported',
          'these pictures exceed the 4 GiB limit of a ZIP file: choose fewer frames, a smaller size, or video',
        );
      }
      const file = new ZipPassThrough(`${folderName}/${fileName}`);
      zip.add(file);
      file.push(bytes, true);
      await flush();
    },
    async close() {
      zip.end();
      await flush();
      await sink.close();
      return sink.name;
    },
    abort: () => sink.abort(),
  };
}
