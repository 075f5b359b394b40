import { fstatSync, fsync, write } from 'node:fs';
import { promisify } from 'node:util';
import type { ByteSink } from '../../core/shared/bytes.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { shownPath, standardStream } from '../../core/shared/standard-streams.ts';
import { fileSink, type WritableFile } from './file-sink.ts';
import { pipeSink } from './pipe-sink.ts';

/** A sink for standard output. What was written cannot be taken back. @throws StriaError `invalid-input` on a terminal */
export function standardOutputSink(signal: AbortSignal | undefined): ByteSink {
  const path = shownPath(standardStream, 'output');
  if (process.stdout.isTTY) {
    throw new StriaError(
      'invalid-input',
      'standard output is a terminal; redirect it to a file or a program, or name a file with -o',
    );
  }
  const descriptor = 1;
  const facts = fstatSync(descriptor);
  if (facts.isFIFO() || facts.isSocket()) return pipeSink(process.stdout, path, signal);
  const file: WritableFile = {
    write: (bytes, offset, length) => promisify(write)(descriptor, bytes, offset, length, null),
    sync: () => promisify(fsync)(descriptor),
    close: async () => {},
  };
  return fileSink(file, { path, gatherBytes: 0 });
}
