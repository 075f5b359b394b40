import {
  BufferTarget,
  getFirstEncodableVideoCodec,
  Mp4OutputFormat,
  Output,
  QUALITY_VERY_HIGH,
  type VideoCodec,
  VideoSample,
  VideoSampleSource,
  WebMOutputFormat,
} from 'mediabunny';
import { StriaError } from '../../../core/shared/errors.ts';
import type { Host, HostSink } from '../../host/host.ts';
import type { ViewPicture } from '../../viewer/model/picture.ts';
import type { MovieTarget } from './movie-target.ts';

/** Codecs, starting with the one that most players support. */
const codecs = ['avc', 'vp9', 'vp8', 'av1'] as const satisfies readonly VideoCodec[];

/** The interval of key frames: to seek, a player decodes up to this many seconds. */
const keyFrameSeconds = 1;

interface VideoSize {
  readonly width: number;
  readonly height: number;
}

/**
 * A video of the frames: MP4 with H.264 or AV1, or WebM, depending on what the browser can encode. The compressed video is
 * held in memory until it is complete, because its header lists the positions of its frames.
 * @returns undefined if the user cancelled @throws StriaError `unsupported` if there is no encoder for this size
 */
export async function openVideoFrames(
  host: Pick<Host, 'saveAs'>,
  name: string,
  planned: VideoSize,
  framesPerSecond: number,
): Promise<MovieTarget | undefined> {
  const size = evenSize(planned);
  const bitrate = QUALITY_VERY_HIGH;
  const codec = await getFirstEncodableVideoCodec([...codecs], { ...size, bitrate });
  if (codec === null) {
    throw new StriaError(
      'unsupported',
      `there is no encoder for a video of ${size.width} × ${size.height} pixels here: choose another size, or PNGs`,
    );
  }
  const isMp4 = codec === 'avc' || codec === 'av1';
  const sink = await host.saveAs(`${name}.${isMp4 ? 'mp4' : 'webm'}`);
  if (!sink) return undefined;
  const target = new BufferTarget();
  const format = isMp4 ? new Mp4OutputFormat({ fastStart: 'in-memory' }) : new WebMOutputFormat();
  const output = new Output({ format, target });
  const frames = new VideoSampleSource({ codec, bitrate, keyFrameInterval: keyFrameSeconds });
  output.addVideoTrack(frames, { frameRate: framesPerSecond });
  return {
    name: sink.name,
    folder: sink.folder,
    reveal: sink.reveal,
    write: (index, picture) => addFrame(output, frames, picture, index, framesPerSecond),
    async close() {
      await output.finalize();
      if (target.buffer) await sink.write(new Uint8Array(target.buffer));
      await sink.close();
      return sink.name;
    },
    abort: () => giveUp(output, sink),
  };
}

async function addFrame(
  output: Output,
  frames: VideoSampleSource,
  picture: ViewPicture,
  index: number,
  framesPerSecond: number,
): Promise<void> {
  if (output.state === 'pending') await output.start();
  const { rgba, width, height } = evenPicture(picture);
  const times = { timestamp: index / framesPerSecond, duration: 1 / framesPerSecond };
  const sample = new VideoSample(rgba, { format: 'RGBA', codedWidth: width, codedHeight: height, ...times });
  try {
    await frames.add(sample);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StriaError('internal', `the browser failed to encode frame ${index + 1}: ${reason}`, { cause });
  } finally {
    sample.close();
  }
}

async function giveUp(output: Output, sink: HostSink): Promise<void> {
  await output.cancel().catch(() => undefined);
  await sink.abort();
}

/** Encoders subsample colours by two in each direction, so an odd last column or row is dropped. */
function evenSize({ width, height }: VideoSize): VideoSize {
  return { width: Math.max(2, width & ~1), height: Math.max(2, height & ~1) };
}

function evenPicture(picture: ViewPicture): ViewPicture {
  const { width, height } = evenSize(picture);
  if (width === picture.width) return { ...picture, height };
  const rgba = new Uint8Array(4 * width * height);
  for (let y = 0; y < height; y++)
    rgba.set(picture.rgba.subarray(4 * y * picture.width, 4 * (y * picture.width + width)), 4 * y * width);
  return { width, height, rgba };
}
