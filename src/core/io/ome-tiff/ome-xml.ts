import { SaxesParser } from 'saxes';
import { StriaError } from '../../shared/errors.ts';
import type { VolumeTag } from '../../shared/volume-facts.ts';

/** The parts of OME-XML that Stria reads. Source: the schema OME 2016-06. */
export interface OmeDocument {
  /** The UUID of the file that contains the text. */
  readonly uuid: string | undefined;
  /** The file with the metadata, if this text has none. */
  readonly metadataFile: string | undefined;
  readonly images: readonly OmeXmlImage[];
  readonly tags: readonly VolumeTag[];
}

/** One Image with its Pixels. */
export interface OmeXmlImage {
  readonly name: string;
  /** `XYZCT` in any order, the fastest axis first. */
  readonly order: string;
  readonly sizes: Readonly<Record<'Z' | 'C' | 'T', number>>;
  /** Length and unit of a voxel along x, y, z. */
  readonly physical: readonly { readonly size: number; readonly unit: string }[];
  readonly timeIncrement: { readonly size: number; readonly unit: string };
  readonly channels: readonly OmeChannel[];
  readonly tiffData: readonly TiffData[];
}

export interface OmeChannel {
  readonly name: string;
  readonly color: string | undefined;
  /** The number of samples per pixel in this channel. */
  readonly samples: number;
}

/** Assigns planes to directories. Undefined if not stated. */
export interface TiffData {
  readonly ifd: number | undefined;
  readonly first: Readonly<Record<'Z' | 'C' | 'T', number>>;
  readonly planeCount: number | undefined;
  readonly fileName: string | undefined;
  readonly uuid: string | undefined;
}

type Attributes = Readonly<Record<string, string>>;

const depthLimit = 100;
/** A plate of 1536 wells with several fields has some thousands. */
const imageLimit = 65_536;
const channelLimit = 65_536;
const tagLimit = 500;
const tagValueLimit = 2000;

/** Elements that occur for each plane, or contain pixels. */
const untold: ReadonlySet<string> = new Set(['Plane', 'TiffData', 'UUID', 'BinData', 'MetadataOnly']);
/** Elements that identify a person. */
const personal: ReadonlySet<string> = new Set(['Experimenter', 'ExperimenterGroup']);

/** @throws StriaError `corrupt`, `unsupported` */
export function parseOmeXml(text: string): OmeDocument {
  const reader = new OmeXmlReader();
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => reader.open(localName(name), attributes));
  parser.on('text', (content) => reader.text(content));
  parser.on('closetag', ({ name }) => reader.close(localName(name)));
  parser.on('error', (error) => {
    throw new StriaError('corrupt', `the OME-XML is broken: ${error.message.slice(0, 200)}`, { cause: error });
  });
  parser.write(text).close();
  return reader.document();
}

/** The name without its namespace prefix. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

interface OpenImage {
  readonly name: string;
  pixels: Attributes | undefined;
  readonly channels: OmeChannel[];
  readonly tiffData: TiffData[];
}

class OmeXmlReader {
  readonly #path: string[] = [];
  readonly #images: OmeXmlImage[] = [];
  readonly #tags: VolumeTag[] = [];
  #uuid: string | undefined;
  #metadataFile: string | undefined;
  #image: OpenImage | undefined;
  #tiffData: Attributes | undefined;
  #fileName: string | undefined;
  #text = '';

  open(name: string, attributes: Attributes): void {
    const parent = this.#path.at(-1);
    if (parent === undefined && name !== 'OME') throw new StriaError('corrupt', `the OME-XML begins with '${name.slice(0, 60)}'`);
    this.#path.push(name);
    if (this.#path.length > depthLimit) throw new StriaError('corrupt', 'the OME-XML is nested too deeply');
    this.#text = '';
    this.#tell(name, attributes);
    if (name === 'OME') this.#uuid = attributes.UUID;
    else if (name === 'BinaryOnly') this.#metadataFile = attributes.MetadataFile;
    else if (name === 'Image' && parent === 'OME') {
      if (this.#images.length === imageLimit) throw tooMany(imageLimit, 'images');
      this.#image = { name: attributes.Name ?? '', pixels: undefined, channels: [], tiffData: [] };
    } else if (this.#image !== undefined) this.#inImage(this.#image, name, parent, attributes);
  }

  #inImage(image: OpenImage, name: string, parent: string | undefined, attributes: Attributes): void {
    if (name === 'Pixels' && parent === 'Image') image.pixels ??= attributes;
    else if (name === 'Channel' && parent === 'Pixels') {
      if (image.channels.length === channelLimit) throw tooMany(channelLimit, 'channels');
      image.channels.push({
        name: attributes.Name || attributes.Fluor || '',
        color: colorOf(attributes.Color),
        samples: count(attributes.SamplesPerPixel) ?? 1,
      });
    } else if (name === 'TiffData' && parent === 'Pixels') this.#tiffData = attributes;
    else if (name === 'UUID' && parent === 'TiffData') this.#fileName = attributes.FileName;
  }

  text(content: string): void {
    // Only a UUID's text is read.
    if (this.#path.at(-1) === 'UUID' && this.#text.length < 200) this.#text += content.slice(0, 200);
  }

  close(name: string): void {
    this.#path.pop();
    if (name === 'TiffData' && this.#tiffData !== undefined) this.#endTiffData(this.#tiffData);
    else if (name === 'Image' && this.#path.length === 1) this.#endImage();
  }

  #endTiffData(attributes: Attributes): void {
    const at = (axis: 'Z' | 'C' | 'T') => index(attributes[`First${axis}`]) ?? 0;
    this.#image?.tiffData.push({
      ifd: index(attributes.IFD),
      first: { Z: at('Z'), C: at('C'), T: at('T') },
      planeCount: index(attributes.PlaneCount ?? attributes.NumPlanes),
      fileName: this.#fileName || undefined,
      uuid: this.#text.trim() || undefined,
    });
    this.#tiffData = undefined;
    this.#fileName = undefined;
    this.#text = '';
  }

  #endImage(): void {
    const image = this.#image;
    this.#image = undefined;
    if (image?.pixels === undefined) return;
    const { pixels, name, channels, tiffData } = image;
    const order = pixels.DimensionOrder ?? 'XYZCT';
    if (!/^XY(ZCT|ZTC|CTZ|CZT|TCZ|TZC)$/.test(order))
      throw new StriaError('corrupt', `the OME-XML gives '${order.slice(0, 20)}' as the order of axes`);
    const size = (axis: 'Z' | 'C' | 'T') => {
      const length = count(pixels[`Size${axis}`] ?? '1');
      if (length === undefined) throw new StriaError('corrupt', `the OME-XML gives '${pixels[`Size${axis}`]}' as Size${axis}`);
      return length;
    };
    this.#images.push({
      name,
      order,
      sizes: { Z: size('Z'), C: size('C'), T: size('T') },
      physical: ['X', 'Y', 'Z'].map((axis) => ({
        size: Number(pixels[`PhysicalSize${axis}`] ?? Number.NaN),
        unit: pixels[`PhysicalSize${axis}Unit`] ?? 'µm',
      })),
      timeIncrement: { size: Number(pixels.TimeIncrement ?? Number.NaN), unit: pixels.TimeIncrementUnit ?? 's' },
      channels,
      tiffData,
    });
  }

  /** Keeps attributes as searchable tags. */
  #tell(name: string, attributes: Attributes): void {
    if (untold.has(name)) return;
    const isPersonal = this.#path.some((step) => personal.has(step));
    for (const [key, value] of Object.entries(attributes)) {
      if (this.#tags.length >= tagLimit) return;
      if (key.startsWith('xmlns') || key.startsWith('xsi:')) continue;
      const id = `${this.#path.join('/')}/${key}`;
      this.#tags.push({ id, name: `${name} ${key}`, value: value.slice(0, tagValueLimit), isPersonal });
    }
  }

  document(): OmeDocument {
    return { uuid: this.#uuid, metadataFile: this.#metadataFile, images: this.#images, tags: this.#tags };
  }
}

function tooMany(limit: number, what: string): StriaError {
  return new StriaError('unsupported', `the OME-XML describes more than ${limit} ${what}`);
}

/** A whole number from 1. */
function count(text: string | undefined): number | undefined {
  const number = index(text);
  return number !== undefined && number > 0 ? number : undefined;
}

/** A whole number from 0. */
function index(text: string | undefined): number | undefined {
  const number = text === undefined || !/^\s*\d+\s*$/.test(text) ? Number.NaN : Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** OME's colours are 32 bits, red first and opacity last, as a signed number. */
function colorOf(text: string | undefined): string | undefined {
  const number = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isInteger(number) || number < -(2 ** 31) || number >= 2 ** 32) return undefined;
  return `#${((number >>> 8) & 0xffffff).toString(16).padStart(6, '0')}`;
}
