import { type ByteSource, memorySource } from '../../../shared/bytes.ts';
import { StriaError } from '../../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../../shared/job.ts';
import { isGzip } from '../../common/byte-stream.ts';
import { type DataSet, ElementParser, NeedsMore, type PixelElement } from './elements.ts';
import { gunzippedFile, inflatedDataSet } from './inflate.ts';
import { dataSetGuess, isVr, metaStartOf } from './recognise.ts';
import { explicitLittle, implicitLittle, type TransferSyntax, transferSyntaxOf } from './transfer-syntax.ts';
import { textOf } from './values.ts';

/** The elements of a DICOM file before its pixels. */
export interface DicomHeader {
  /** The file, unpacked if it was deflated or gzipped. Offsets in the header refer to it. */
  readonly source: ByteSource;
  /** Whether it was deflated or gzipped. */
  readonly isPacked: boolean;
  readonly meta: DataSet;
  readonly dataSet: DataSet;
  readonly syntax: TransferSyntax;
  /** The start of the data set, after preamble and meta information. */
  readonly dataSetStart: number;
  /** The first unpacked bytes of the file, as far as they were read for the header. */
  readonly head: Uint8Array;
  /** Undefined if the file has no pixels or is a directory. */
  readonly pixels: PixelElement | undefined;
}

export const firstHeaderRead = 32 * 1024;
/** No genuine file has a header of hundreds of megabytes. */
const headerLimit = 64 * 2 ** 20;

/**
 * Reads the elements before the pixels, without the pixels.
 * @param known the file's first bytes, if already read. If they extend to the pixels, nothing more is read
 * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
 */
export async function readHeader(given: ByteSource, job: JobOptions = {}, known?: Uint8Array): Promise<DicomHeader> {
  let source = given;
  let head = known ?? (await source.read(0, Math.min(firstHeaderRead, source.size), job));
  if (isGzip(head)) {
    source = await gunzippedFile(source, job);
    head = await source.read(0, Math.min(firstHeaderRead, source.size), job);
  }
  const metaStart = metaStartOf(head);
  if (metaStart === undefined && dataSetGuess(head, 0) === undefined) {
    throw new StriaError('corrupt', 'the file does not begin as DICOM files do');
  }
  for (;;) {
    try {
      const header = await parse(source, head, metaStart, job);
      return { ...header, isPacked: header.source !== given };
    } catch (error) {
      if (!(error instanceof NeedsMore)) throw error;
      head = await readMore(source, head, error.end, job);
    }
  }
}

async function readMore(source: ByteSource, head: Uint8Array, end: number, job: JobOptions): Promise<Uint8Array<ArrayBuffer>> {
  throwIfAborted(job.signal);
  if (end > headerLimit) {
    throw new StriaError('unsupported', `the header is longer than ${headerLimit / 2 ** 20} MiB, which Stria does not read`);
  }
  const more = await source.read(0, Math.min(source.size, headerLimit, Math.max(end, 4 * head.byteLength)), job);
  if (more.byteLength < end) throw new StriaError('not-readable', 'the file became shorter while it was read');
  return more;
}

type ParsedHeader = Omit<DicomHeader, 'isPacked'>;

async function parse(
  source: ByteSource,
  head: Uint8Array,
  metaStart: number | undefined,
  job: JobOptions,
): Promise<ParsedHeader> {
  const metaParser = new ElementParser(head, source.size, metaStart ?? 0);
  const { dataSet: meta } = metaParser.dataSet(explicitLittle, (tag) => metaStart !== undefined && tag >>> 16 === 2);
  const uid = textOf(meta, 0x00020010);
  const dataSetStart = metaParser.at;
  const named = uid === '' ? undefined : transferSyntaxOf(uid);
  if (named?.isDeflated) {
    const inflated = await inflatedDataSet(source, dataSetStart, job);
    return parseDataSet(memorySource(source.name, inflated), inflated, meta, dataSetStart, named);
  }
  return parseDataSet(source, head, meta, dataSetStart, named);
}

function parseDataSet(
  source: ByteSource,
  bytes: Uint8Array,
  meta: DataSet,
  dataSetStart: number,
  named: TransferSyntax | undefined,
): ParsedHeader {
  const guess = dataSetGuess(bytes, dataSetStart);
  const syntax = named ?? guess ?? implicitLittle;
  // Some files contradict their meta information. The first element shows the actual encoding.
  const isExplicit = dataSetStart + 6 <= bytes.byteLength ? isVr(bytes, dataSetStart + 4) : syntax.isExplicit;
  const encoding = { isExplicit, isLittle: guess?.isLittle ?? syntax.isLittle };
  const { dataSet, pixels } = new ElementParser(bytes, source.size, dataSetStart).dataSet(encoding);
  return { source, meta, dataSet, syntax: { ...syntax, ...encoding }, dataSetStart, head: bytes, pixels };
}
