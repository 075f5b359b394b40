import type { EncodeChoice } from '../chunks/backend.ts';
import { rawCodec } from '../chunks/raw-codec.ts';
import type { CodecDefinition, CodecElementBytes, PreparedChunk } from '../codec/codec.ts';
import { codecs } from '../codecs/registry.ts';
import type { Dims3 } from '../shared/volume.ts';

/** A codec that a volume will probably need, with examples of its chunks. */
export interface LikelyCodec {
  readonly codec: CodecDefinition;
  /** Of its elements, in bytes. */
  readonly width: CodecElementBytes;
  /** Empty for a second codec. */
  readonly chunks: readonly PreparedChunk[];
  readonly isSecond: boolean;
}

/** 'auto' seldom chooses slower codecs, so their kernels are compiled when they are needed. */
const likelyGigabytesPerSecond = 100;
const standardPauseMs = 4;

/** Parsing a codec's shaders takes 10 to 30 ms of this thread. Reads and GPU events go first. */
export function betweenShaders(pauseMs = standardPauseMs): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}

/** The codecs of a choice, those first that are to be compiled first. */
export function likelyCodecs(
  shapes: readonly Dims3[],
  elementBytes: CodecElementBytes,
  { codec, options }: EncodeChoice,
): LikelyCodec[] {
  const stages = codec === 'auto' ? likelyStages() : codec.map((one, at) => ({ one, isSecond: at > 0 }));
  return stages.flatMap(({ one, isSecond }): LikelyCodec[] => {
    const width = isSecond ? 1 : elementBytes;
    if (!one.elementBytes.includes(width)) return [];
    const chunks = (isSecond ? [] : shapes).map((shape) => {
      const parameters = one.choose({ changes: [1, 1, 1] }, { shape, elementBytes }, options);
      return { shape, parameters };
    });
    return [{ codec: one, width, chunks, isSecond }];
  });
}

/**
 * What 'auto' often chooses. The codecs of volumes with noise come first, the one that does most of their chunks before the others:
 * threads begin with volumes of runs (stream/early-start.ts).
 */
function likelyStages(): { readonly one: CodecDefinition; readonly isSecond: boolean }[] {
  const firsts = codecs.filter(
    (one) => !one.decodedLength && one !== rawCodec && one.gigabytesPerSecond >= likelyGigabytesPerSecond,
  );
  const ofRuns = firsts.filter(({ estimateWithEntropy, preparesEntropy }) => estimateWithEntropy && !preparesEntropy);
  const [usual, ...others] = firsts.filter((one) => !ofRuns.includes(one)) as [CodecDefinition, ...CodecDefinition[]];
  const seconds = codecs.filter(({ decodedLength }) => decodedLength);
  return [usual, ...seconds, ...others, ...ofRuns].map((one) => ({ one, isSecond: seconds.includes(one) }));
}
