import { scatterChunk } from '../../chunks/boxes.ts';
import { decodeChunk } from '../../chunks/decode-chunk.ts';
import { codecElementBytes } from '../../format/chunk-grid.ts';
import type { ContainerReader } from '../../format/container-reader.ts';
import type { OpenVolume } from '../../io/common/volume-reader.ts';
import { type Dims3, elementBytes, typedVoxels, type VolumeInfo } from '../../shared/volume.ts';
import type { LeveledVoxels } from '../../shared/volume-level.ts';
import { readVoxels, type VoxelReader } from '../../stream/voxel-reader.ts';
import { chunkRows, pieceOfTimePoint } from '../compressed/compressed-region.ts';
import { assertReadable, type ExactVoxels, type VoxelPiece } from '../volume-source.ts';

/** Large planes are read in bands of this many bytes, because a file may refuse a box for which it must decode too much at once. */
const mostBandBytes = 2 ** 26;

/** A leveled file's voxels at full resolution, read on demand, plane by plane. */
export function voxelsOfLevels(info: VolumeInfo, leveled: Pick<LeveledVoxels, 'read'>): ExactVoxels {
  return {
    info,
    async readBox(box, visit) {
      assertReadable({ info, decimation: 1 }, box);
      const { first, size, timePoint } = box;
      const rows = Math.max(1, Math.floor(mostBandBytes / (size[0] * elementBytes(info.type))));
      for (let z = first[2]; z < first[2] + size[2]; z++) {
        for (let y = 0; y < size[1]; y += rows) {
          const band = { first: [first[0], first[1] + y, z], size: [size[0], Math.min(rows, size[1] - y), 1] } as const;
          const bytes = await leveled.read({ level: 0, ...band, timePoint });
          visit({ ...band, values: typedVoxels(info.type, bytes), rowLength: size[0] });
        }
      }
    },
  };
}

/** Voxels that are read in order. */
export interface VoxelsInOrder extends ExactVoxels {
  close(): Promise<void>;
}

/**
 * The voxels of a volume's file, plane by plane. Read boxes one after another, and those of a gzip file in the order of the file: if a
 * box begins before the end of the previous one, the file is unpacked again from its start.
 */
export function voxelsOfFile(volume: OpenVolume): VoxelsInOrder {
  const { info } = volume;
  const [width, height, depth] = info.dims;
  const planeBytes = width * height * elementBytes(info.type);
  let reader: VoxelReader | undefined;
  /** The next plane of the stream, counted through all time points. */
  let nextPlane = 0;
  const close = async (): Promise<void> => {
    const before = reader;
    reader = undefined;
    await before?.close();
  };
  return {
    info,
    close,
    async readBox(box, visit) {
      assertReadable({ info, decimation: 1 }, box);
      const first = box.timePoint * depth + box.first[2];
      if (first < nextPlane) await close();
      if (!reader) nextPlane = 0;
      reader ??= readVoxels(volume);
      const plane = new Uint8Array(planeBytes);
      try {
        await reader.skip((first - nextPlane) * planeBytes);
        nextPlane = first;
        for (let z = box.first[2]; z < box.first[2] + box.size[2]; z++) {
          await reader.fill(plane);
          nextPlane++;
          visit({ first: [0, 0, z], size: [width, height, 1], values: typedVoxels(info.type, plane), rowLength: width });
        }
      } catch (error) {
        await close();
        throw error;
      }
    },
  };
}

/** The voxels of a .stria: only the chunks that a box touches are read, and decoded on this thread. */
export function voxelsOfContainer(reader: ContainerReader): ExactVoxels {
  const info = reader.header.volume;
  const width = elementBytes(info.type);
  const codecWidth = codecElementBytes(info.type);
  const perVoxel = width / codecWidth;
  /** The voxels of adjacent chunks along x: all their planes, also those of several time points. */
  const decodedRow = async (row: readonly number[]): Promise<VoxelPiece> => {
    const boxes = row.map((number) => reader.grid.box(number));
    const { origin: start, shape: first } = boxes[0] as (typeof boxes)[number];
    const dims: Dims3 = [boxes.reduce((sum, { shape }) => sum + shape[0], 0), first[1], first[2]];
    const bytes = new Uint8Array(dims[0] * dims[1] * dims[2] * codecWidth);
    const chunks = await reader.readChunks(row[0] as number, row.length);
    for (const [index, { origin, shape }] of boxes.entries()) {
      const voxels = decodeChunk(chunks[index] as (typeof chunks)[number], { shape, elementBytes: codecWidth });
      const place = { origin: [origin[0] - start[0], 0, 0] as const, shape };
      scatterChunk(voxels, place, { bytes, dims, elementBytes: codecWidth });
    }
    const rowLength = dims[0] / perVoxel;
    return {
      first: [start[0] / perVoxel, start[1], start[2]],
      size: [rowLength, dims[1], dims[2]],
      values: typedVoxels(info.type, bytes),
      rowLength,
    };
  };
  return {
    info,
    async readBox(box, visit) {
      assertReadable({ info, decimation: 1 }, box);
      for (const row of chunkRows(reader.grid, info.type, box)) {
        visit(pieceOfTimePoint(reader.grid, await decodedRow(row), box.timePoint));
      }
    },
    async readAll(visit) {
      const [width, height, depth, times] = info.dims;
      const { timePointsPerChunk } = reader.grid;
      for (let group = 0; group < times; group += timePointsPerChunk) {
        const end = Math.min(times, group + timePointsPerChunk);
        const whole = { first: [0, 0, 0], size: [width, height, depth], timePoint: group } as const;
        for (const row of chunkRows(reader.grid, info.type, whole)) {
          const piece = await decodedRow(row);
          for (let timePoint = group; timePoint < end; timePoint++) {
            visit(pieceOfTimePoint(reader.grid, piece, timePoint), timePoint);
          }
        }
      }
    },
  };
}
