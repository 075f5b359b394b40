import type { EncodedChunk } from '../../format/chunk.ts';
import { type ChunkGrid, type ChunkShape, type ChunkSpan, chunkGridOf, codecElementDims } from '../../format/chunk-grid.ts';
import type { ContainerWriter, NewContainer } from '../../format/container-writer.ts';
import { partName, pieceFault, spansOfPart, type VolumePart } from '../../format/part.ts';
import type { OpenVolume } from '../../io/common/volume-reader.ts';
import { StriaError } from '../../shared/errors.ts';
import { mostShares, type PartChoice } from '../../shared/part-choice.ts';
import { isPictureFormat, isValueFormat, type SourceDescription } from '../../shared/source.ts';
import type { Dims3, VolumeInfo } from '../../shared/volume.ts';
import { rawSource } from '../memory-volume.ts';

/** How an input becomes a container that holds the whole volume or one part of it. */
export interface PartPlan {
  readonly container: NewContainer;
  /** The chunks of the input. */
  readonly grid: ChunkGrid;
  /** Those that the container gets: whole layers. */
  readonly span: ChunkSpan;
  /** The description of the whole volume's source. */
  describe(source: SourceDescription): SourceDescription;
  /** Adds consecutive chunks of `grid` to the container. */
  write(writer: ContainerWriter, first: number, chunks: readonly EncodedChunk[]): Promise<void>;
}

/** The chunk shape of a whole volume. @throws StriaError `invalid-input` if it may not have the one that was requested */
type ShapeOf = (whole: VolumeInfo) => ChunkShape;

/** @throws StriaError `invalid-input` if the input cannot be compressed as this part */
export function planPart(volume: OpenVolume, shapeOf: ShapeOf, choice: PartChoice | undefined): PartPlan {
  if (choice && 'origin' in choice) return planPiece(volume, shapeOf, choice);
  const { info, format: sourceFormat, stored, deflatesSource } = volume;
  const chunkShape = shapeOf(info);
  const grid = chunkGridOf(info, chunkShape);
  if (choice && (choice.number < 1 || choice.number > choice.of || choice.of > mostShares)) {
    throw new StriaError(
      'invalid-input',
      `there is no part ${choice.number} of ${choice.of}; parts count from 1, to ${mostShares}`,
    );
  }
  const [span = { first: 0, count: 0 }] = choice ? spansOfPart(grid, choice) : [{ first: 0, count: grid.count }];
  return {
    container: { volume: info, chunkShape, sourceFormat, stored, part: choice, deflatesSource },
    grid,
    span,
    describe: (source) => source,
    async write(writer, first, chunks) {
      await writer.skip(Math.max(first, span.first));
      await writer.chunks(first, chunks);
    },
  };
}

/** The input's chunks are chunks of the larger volume, so only their numbers differ. */
function planPiece(volume: OpenVolume, shapeOf: ShapeOf, { origin, of }: { origin: Dims3; of: Dims3 }): PartPlan {
  const { info, format, stored } = volume;
  if (isPictureFormat(format) || isValueFormat(format) || stored) {
    throw new StriaError(
      'invalid-input',
      `a piece of a larger volume must be a plain file of voxels, such as raw or NIfTI, not ${format}`,
    );
  }
  // A raw file does not say where it lies in the world.
  const affine = format === 'raw' ? info.affine : movedBack(info.affine, origin);
  const whole: VolumeInfo = { ...info, dims: [...of, info.dims[3]], affine };
  const chunkShape = shapeOf(whole);
  const grid = chunkGridOf(info, chunkShape);
  const wholeGrid = chunkGridOf(whole, chunkShape);
  const dims = codecElementDims(info);
  const part: VolumePart = {
    origin: [origin[0] * (dims[0] / info.dims[0]), origin[1], origin[2]],
    dims: [dims[0], dims[1], dims[2]],
  };
  const fault = pieceFault(wholeGrid, part, info.type);
  if (fault !== undefined) {
    throw new StriaError('invalid-input', `this is no piece of a volume of ${of.join('×')} voxels: ${fault}`);
  }
  const numberOf = (chunk: number) => {
    const { origin: at, t } = grid.box(chunk);
    return wholeGrid.numberAt([at[0] + part.origin[0], at[1] + part.origin[1], at[2] + part.origin[2], t]);
  };
  return {
    container: { volume: whole, chunkShape, sourceFormat: 'raw', part },
    grid,
    span: { first: 0, count: grid.count },
    describe: () => rawSource(wholeName),
    async write(writer, first, chunks) {
      for (let at = 0; at < chunks.length; ) {
        const number = numberOf(first + at);
        let end = at + 1;
        while (end < chunks.length && numberOf(first + end) === number + end - at) end++;
        await writer.skip(number);
        await writer.chunks(number, chunks.slice(at, end));
        at = end;
      }
    },
  };
}

/** The source of a volume that no single file held. */
const wholeName = 'volume.raw';

/** An affine whose voxel 0, 0, 0 lies `origin` voxels before that of `affine`. */
function movedBack(affine: readonly number[], origin: Dims3): number[] {
  return affine.map((value, at) => {
    if (at % 4 !== 3) return value;
    const row = at - 3;
    return value - origin.reduce((sum, voxels, axis) => sum + (affine[row + axis] as number) * voxels, 0);
  });
}

/** `part 3 of 7`, for messages. */
export function planName({ container }: PartPlan): string | undefined {
  return container.part && partName(container.part, container.volume.type);
}
