import type { ByteSource } from '../../../shared/bytes.ts';
import { StriaError } from '../../../shared/errors.ts';
import type { JobOptions } from '../../../shared/job.ts';
import type { FrameReader, PixelPlace } from './frame-reader.ts';

export async function encapsulatedFrames(_source: ByteSource, { syntax }: PixelPlace, _job: JobOptions): Promise<FrameReader> {
  throw new StriaError('unsupported', `pixels compressed as ${syntax.name} (transfer syntax ${syntax.uid}) are not read yet`);
}
