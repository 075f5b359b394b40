import { scatterChunk } from '../../../core/chunks/boxes.ts';
import { decodeChunk } from '../../../core/chunks/decode-chunk.ts';
import type { EncodedChunk } from '../../../core/format/chunk.ts';
import { codecElementBytes } from '../../../core/format/chunk-grid.ts';
import type { ContainerOutline } from '../../../core/format/container-outline.ts';
import { ContainerReader } from '../../../core/format/container-reader.ts';
import type { OpenVolume } from '../../../core/io/common/volume-reader.ts';
import { ownLabels } from '../../../core/io/own-labels.ts';
import { leftOutLevels } from '../../../core/left-out/left-out-levels.ts';
import { chunkName } from '../../../core/shared/chunk-name.ts';
import { faultToData, inContext, StriaError } from '../../../core/shared/errors.ts';
import { formatName } from '../../../core/shared/readable-formats.ts';
import { isPictureFormat, type SourceDescription } from '../../../core/shared/source.ts';
import type { Dims3 } from '../../../core/shared/volume.ts';
import { wholeFactors } from '../../../core/shared/volume-level.ts';
import { missingWords } from '../../../core/stream/damage-list.ts';
import { levelsToMake } from '../../../core/stream/made-levels/make-levels.ts';
import { middlePreview } from '../../../core/volume/levels/middle-preview.ts';
import { shownInfo } from '../../viewer/model/shown-info.ts';
import { initialCreditBytes, type LoadCommand, type LoadMessage, type LoadRequest, type LoadStart } from './load-protocol.ts';
import { headersFound, labelsOf, levelsOf, levelsRequested, openRequested, outlineRequested } from './open-request.ts';

// Opens one file: parses it, unpacks it, and sends its voxels (or a container's chunks) to the window as fast as the window
// takes them. One worker per file; terminating it cancels.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<LoadCommand>) => void;
  postMessage(message: LoadMessage, transfer?: Transferable[]): void;
};

let credit = initialCreditBytes;
let onCredit: (() => void) | undefined;
let onStart: ((start: LoadStart) => void) | undefined;

scope.onmessage = ({ data }) => {
  if (data.kind === 'open') {
    load(data.request).catch((error: unknown) => {
      scope.postMessage({ kind: 'fault', fault: faultToData(error), headers: headersFound(data.request) });
    });
  } else if (data.kind === 'start') {
    onStart?.(data);
  } else {
    credit += data.bytes;
    onCredit?.();
  }
};

async function load(request: LoadRequest): Promise<void> {
  const outline = await outlineRequested(request);
  if (!outline) return sendVolume(request, await openRequested(request));
  return sendContainer(request, outline).catch((error: unknown) => {
    throw inContext(outline.source.name, error);
  });
}

async function sendVolume(request: LoadRequest, volume: OpenVolume): Promise<void> {
  const format = { sample: 'Sample', space: 'Surfaces', file: undefined }[request.kind];
  const { leveled, areStored, canMake, canKeep, note, kept } = await levelsRequested(request, volume);
  const { as, level } = await start({
    kind: 'info',
    info: shownInfo(volume.info, volume.format),
    format: format ?? formatName(volume.format),
    chunkShape: undefined,
    payloadBytes: undefined,
    levels: (leveled?.levels.slice(1) ?? []).map((each, at) => ({ ...each, chunkShape: kept?.[at]?.header.chunkShape })),
    preview: undefined,
    areLevelsStored: areStored,
    canKeepLevels: canKeep,
    note,
    boxLevels: canMake ? levelsToMake(volume.info) : leveled?.levels,
    making: canMake ? { canSkip: volume.fill !== undefined } : undefined,
    arePictures: isPictureFormat(volume.format),
    tags: volume.tags ?? [],
  });
  const keptLevel = kept?.[level - 1];
  if (keptLevel) await sendLayers(keptLevel, as);
  else for await (const piece of leveled && level > 0 ? leveled.voxels(level) : volume.voxels()) await sendVoxels(piece);
  leveled?.close();
  const source = await volume.source();
  const labels = await labelsOf(request, volume.info, volume.labels ?? ownLabels(source));
  scope.postMessage({ kind: 'end', source, labels, lost: undefined });
}

async function sendContainer(request: LoadRequest, outline: ContainerOutline): Promise<void> {
  const { volume, chunkShape, sourceFormat } = outline.header;
  const levels = await levelsOf(outline);
  // The index of the volume's chunks is long. A level that will be replaced by a finer one is shown without it.
  let volumeReader = levels.length > 0 ? undefined : await ContainerReader.of(outline);
  const preview = volumeReader && middlePreview(volumeReader, outline.source.size);
  const storedLevels = levels.map((each) => ({
    dims: each.header.volume.dims,
    factors: each.level?.factors ?? wholeFactors,
    chunkShape: each.header.chunkShape,
  }));
  const leftOut = leftOutLevels(outline.header, levels[0]?.level);
  const { as, level, hasFiner } = await start({
    kind: 'info',
    info: shownInfo(volume, sourceFormat),
    format: `Stria (${formatName(sourceFormat)})`,
    chunkShape,
    payloadBytes: outline.source.size,
    levels: storedLevels,
    preview: preview && { ...preview.level, chunkShape: undefined },
    areLevelsStored: true,
    canKeepLevels: false,
    note: undefined,
    boxLevels: [
      { dims: volume.dims, factors: wholeFactors },
      ...leftOut.map(({ dims, factors }) => ({ dims, factors })),
      ...storedLevels,
    ],
    making: undefined,
    arePictures: isPictureFormat(sourceFormat),
    tags: [],
  });
  if (level === 0 || !hasFiner) volumeReader ??= await ContainerReader.of(outline);
  const shown = levels[level - 1] ?? volumeReader;
  if (!shown) throw new StriaError('internal', `the file has no level ${level}`);
  const describing = outline.sourceDescription();
  // Awaited after the chunks, whose fault comes first.
  describing.catch(() => undefined);
  if (as === 'preview' && preview) await sendVoxels(await preview.read());
  else await sendLayers(shown, as);
  const source: SourceDescription = await describing;
  const lost = hasFiner || !volumeReader ? undefined : missingWords(volumeReader);
  scope.postMessage({ kind: 'end', source, lost, labels: await labelsOf(request, volume, ownLabels(source)) });
}

/** Sends the voxels or the chunks of a volume or level. Two layers of chunks are read at a time, because a server takes a while to answer. */
async function sendLayers(reader: ContainerReader, as: LoadStart['as']): Promise<void> {
  const { grid } = reader;
  // Voxels are sent in the order of the source.
  const layersAtOnce = as === 'voxels' && grid.isInterleaved ? grid.counts[2] : 1;
  const read = (layer: number) => {
    const { first, count } = grid.chunksOfLayer(layer);
    const chunks = reader.readChunks(first, layersAtOnce * count);
    // Its fault is thrown in its turn.
    chunks.catch(() => undefined);
    return chunks;
  };
  const layers = Array.from({ length: Math.ceil(grid.layerCount / layersAtOnce) }, (_, at) => at * layersAtOnce);
  const reading = layers.slice(0, 2).map(read);
  for (const [at, layer] of layers.entries()) {
    const chunks = (await reading.shift()) ?? [];
    const next = layers[at + 2];
    if (next !== undefined) reading.push(read(next));
    if (as === 'voxels') await sendVoxels(decodeLayers(reader, layer, layersAtOnce, chunks));
    else await sendChunks(chunks);
  }
}

/** Decodes the voxels of some layers of chunks in this thread, for chunks that the GPU cannot use. */
function decodeLayers(reader: ContainerReader, layer: number, layers: number, chunks: readonly EncodedChunk[]) {
  const { grid, header } = reader;
  const elementBytes = codecElementBytes(header.volume.type);
  const { first } = grid.chunksOfLayer(layer);
  const { plane: firstPlane } = grid.layerBox(layer);
  const last = grid.layerBox(layer + layers - 1);
  const dims: Dims3 = [grid.dims[0], grid.dims[1], last.plane + last.shape[2] - firstPlane];
  const bytes = new Uint8Array(dims[0] * dims[1] * dims[2] * elementBytes);
  chunks.forEach((chunk, index) => {
    const { origin, shape, plane } = grid.box(first + index);
    const [width, height, depth] = shape;
    const planeBytes = width * height * elementBytes;
    try {
      const voxels = decodeChunk(chunk, { shape, elementBytes });
      for (let at = 0; at < depth; at++) {
        const { z, t } = grid.placeOfPlane(plane + at);
        const place = { origin: [origin[0], origin[1], t * grid.dims[2] + z - firstPlane], shape: [width, height, 1] } as const;
        scatterChunk(voxels.subarray(at * planeBytes, (at + 1) * planeBytes), place, { bytes, dims, elementBytes });
      }
    } catch (error) {
      throw inContext(chunkName(first + index), error);
    }
  });
  return bytes;
}

function start(info: LoadMessage & { kind: 'info' }): Promise<LoadStart> {
  scope.postMessage(info);
  return new Promise((resolve) => {
    onStart = resolve;
  });
}

async function sendVoxels(piece: Uint8Array): Promise<void> {
  const { buffer } = piece;
  const isOwn = buffer instanceof ArrayBuffer && piece.byteLength === buffer.byteLength;
  const bytes = isOwn ? new Uint8Array(buffer) : new Uint8Array(piece);
  await spend(bytes.byteLength);
  scope.postMessage({ kind: 'voxels', bytes }, [bytes.buffer]);
}

async function sendChunks(chunks: readonly EncodedChunk[]): Promise<void> {
  const payloads = new Set<ArrayBuffer>();
  let payloadBytes = 0;
  for (const chunk of chunks) {
    if (chunk.kind !== 'coded') continue;
    payloadBytes += chunk.payload.byteLength;
    if (chunk.payload.buffer instanceof ArrayBuffer) payloads.add(chunk.payload.buffer);
  }
  await spend(payloadBytes);
  scope.postMessage({ kind: 'chunks', chunks, payloadBytes }, [...payloads]);
}

/** Waits until the window has processed enough of what was sent. */
async function spend(bytes: number): Promise<void> {
  while (credit <= 0) {
    await new Promise<void>((resolve) => {
      onCredit = resolve;
    });
  }
  credit -= bytes;
}
