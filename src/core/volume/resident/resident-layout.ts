import type { ChunkBox, NumberedBox } from '../../chunks/backend.ts';
import { rowBytes } from '../../codec/codec.ts';
import { ChunkGrid, type ChunkShape, codecElementBytes, codecElementDims, isInterleaved } from '../../format/chunk-grid.ts';
import { StriaError } from '../../shared/errors.ts';
import { type Dims4, elementBytes, type VolumeInfo } from '../../shared/volume.ts';
import type { SliceBox } from '../volume-source.ts';

/**
 * The position of a box: whole rows, from `firstRow`, in each of the planes from `firstPlane`. Planes are numbered through all
 * time points: plane = t × dims[2] + z.
 */
export interface BoxPlace {
  readonly firstRow: number;
  readonly rowCount: number;
  readonly firstPlane: number;
  readonly planeCount: number;
  readonly bytes: number;
  readonly chunks: readonly ChunkBox[];
  readonly chunkNumbers: readonly number[];
}

/** A box with its position in the volume (see `BoxPlace`). */
export interface PlacedBox extends NumberedBox, SliceBox, Pick<BoxPlace, 'firstRow' | 'rowCount' | 'firstPlane' | 'planeCount'> {}

/** How a volume is cut into boxes that each fit in one storage binding. */
export interface ResidentLayout {
  readonly decimation: number;
  /** The dimensions of the kept voxels. */
  readonly dims: Dims4;
  /** Codec elements along x. */
  readonly elementsX: number;
  readonly boxes: readonly BoxPlace[];
  /** The index in `boxes` of the box that holds a row of a plane. */
  boxIndexAt(row: number, plane: number): number;
}

/**
 * Cuts a volume into boxes of whole chunk layers. If a layer exceeds `limitBytes`, boxes are strips of whole chunk rows. If chunks
 * interleave time points, boxes are cut as for chunks of one time point. If all boxes together exceed `budgetBytes`, or a strip
 * exceeds the limit, only every n-th voxel along x, y and z is kept, with the smallest n that suffices.
 * @throws StriaError `limit-too-small` if no n suffices
 */
export function layOut(
  info: Pick<VolumeInfo, 'dims' | 'type'>,
  chunkShape: ChunkShape,
  limitBytes: number,
  budgetBytes: number,
): ResidentLayout {
  const whole = info.dims;
  const longest = Math.max(whole[0], whole[1], whole[2]);
  for (let n = 1; n < 2 * longest; n = n < 16 ? n + 1 : Math.ceil(n * 1.25)) {
    const dims: Dims4 = [Math.ceil(whole[0] / n), Math.ceil(whole[1] / n), Math.ceil(whole[2] / n), whole[3]];
    if (paddedBytes({ dims, type: info.type }) > budgetBytes) continue;
    const layout = layOutWhole({ dims, type: info.type }, chunkShape, limitBytes, n);
    if (layout) return layout;
  }
  const needed = paddedBytes({ dims: [1, 1, 1, whole[3]], type: info.type });
  throw new StriaError(
    'limit-too-small',
    `${whole[3]} time points do not fit in ${budgetBytes} bytes of GPU memory, even at one voxel each (${needed} bytes)`,
  );
}

/** Whether all voxels are kept, which means that the decimation is 1. */
export function fitsWhole(
  info: Pick<VolumeInfo, 'dims' | 'type'>,
  chunkShape: ChunkShape,
  limitBytes: number,
  budgetBytes: number,
): boolean {
  return paddedBytes(info) <= budgetBytes && layOutWhole(info, chunkShape, limitBytes, 1) !== undefined;
}

function paddedBytes(volume: Pick<VolumeInfo, 'dims' | 'type'>): number {
  const width = elementBytes(volume.type);
  return Math.ceil((volume.dims[0] * width) / 4) * 4 * volume.dims[1] * volume.dims[2] * volume.dims[3];
}

function layOutWhole(
  volume: Pick<VolumeInfo, 'dims' | 'type'>,
  chunkShape: ChunkShape,
  limitBytes: number,
  decimation: number,
): ResidentLayout | undefined {
  const [x, y, z] = chunkShape;
  const grid = new ChunkGrid(codecElementDims(volume), isInterleaved(chunkShape) ? [x, y, z] : chunkShape);
  const [elementsX, rows] = grid.dims;
  const [, chunkRows] = chunkShape;
  const layerPlanes = grid.layerBox(0).shape[2];
  const bytesOfRow = rowBytes(elementsX, codecElementBytes(volume.type));
  const layerBytes = bytesOfRow * rows * layerPlanes;
  const stripBytes = bytesOfRow * Math.min(chunkRows, rows) * layerPlanes;
  if (stripBytes > limitBytes) return undefined;
  const layersPerBox = Math.max(1, Math.min(grid.layerCount, Math.floor(limitBytes / layerBytes)));
  const stripsPerLayer = layerBytes <= limitBytes ? 1 : Math.ceil(grid.counts[1] / Math.floor(limitBytes / stripBytes));
  const chunkRowsPerStrip = Math.ceil(grid.counts[1] / stripsPerLayer);
  const rowsPerBox = chunkRowsPerStrip * chunkRows;
  const strips = Math.ceil(grid.counts[1] / chunkRowsPerStrip);
  const boxes: BoxPlace[] = [];
  for (let layer = 0; layer < grid.layerCount; layer += layersPerBox) {
    const layers = Math.min(layersPerBox, grid.layerCount - layer);
    for (let strip = 0; strip < strips; strip++) {
      boxes.push(placeBox(grid, { layer, layers, firstRow: strip * rowsPerBox, rowsPerBox, bytesOfRow }));
    }
  }
  return {
    decimation,
    dims: volume.dims,
    elementsX,
    boxes,
    boxIndexAt: (row, plane) => Math.floor(grid.layerOfPlane(plane) / layersPerBox) * strips + Math.floor(row / rowsPerBox),
  };
}

interface Placement {
  readonly layer: number;
  readonly layers: number;
  readonly firstRow: number;
  readonly rowsPerBox: number;
  readonly bytesOfRow: number;
}

function placeBox(grid: ChunkGrid, { layer, layers, firstRow, rowsPerBox, bytesOfRow }: Placement): BoxPlace {
  const firstPlane = grid.layerBox(layer).plane;
  const last = grid.layerBox(layer + layers - 1);
  const planeCount = last.plane + last.shape[2] - firstPlane;
  const rowCount = Math.min(rowsPerBox, grid.dims[1] - firstRow);
  const chunks: ChunkBox[] = [];
  const chunkNumbers: number[] = [];
  const [countX, countY] = grid.counts;
  const chunkRows = grid.chunkShape[1];
  const rowsOfChunks = { from: firstRow / chunkRows, to: Math.min(countY, (firstRow + rowsPerBox) / chunkRows) };
  for (let at = layer; at < layer + layers; at++) {
    const layerFirst = grid.chunksOfLayer(at).first;
    for (let number = layerFirst + rowsOfChunks.from * countX; number < layerFirst + rowsOfChunks.to * countX; number++) {
      const { origin, shape, plane } = grid.box(number);
      chunks.push({ origin: [origin[0], origin[1] - firstRow, plane - firstPlane], shape });
      chunkNumbers.push(number);
    }
  }
  return { firstRow, rowCount, firstPlane, planeCount, bytes: bytesOfRow * rowCount * planeCount, chunks, chunkNumbers };
}
