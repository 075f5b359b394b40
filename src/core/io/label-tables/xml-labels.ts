import { SaxesParser } from 'saxes';
import { StriaError } from '../../shared/errors.ts';
import { hexColor, type LabelTable } from '../../shared/label-table.ts';
import { TableBuilder } from './table-builder.ts';

type Attributes = Readonly<Record<string, string>>;

/** No table is nested this deeply; a hostile file may be. */
const depthLimit = 100;

/**
 * The labels in XML of NIfTI extensions and of files.
 * - GIFTI's `<Label Key="1" Red="1" Green="0" Blue="0" Alpha="1">name</Label>`, colours from 0 to 1. Connectome Workbench keeps
 *   them in extensions 30 (Caret) and 32 (CIFTI). If several tables name a number, the last one wins.
 * - AFNI's extension 4: attributes `VALUE_LABEL_DTABLE` and `ATLAS_LABEL_TABLE`, whose text is NIML.
 * @throws StriaError `corrupt`, `unsupported`
 */
export function xmlLabels(text: string): LabelTable {
  const builder = new TableBuilder();
  let open: { readonly attributes: Attributes; content: string } | undefined;
  let depth = 0;
  const parser = new SaxesParser();
  const add = (content: string) => {
    if (open) open.content += content;
  };
  parser.on('opentag', ({ name, attributes }) => {
    if (++depth > depthLimit) throw new StriaError('corrupt', 'the XML of the label table is nested too deeply');
    if (name === 'Label' || name === 'AFNI_atr') open = { attributes, content: '' };
  });
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', ({ name }) => {
    depth--;
    if (open && name === 'Label') addGifti(builder, open.attributes, open.content);
    if (open && name === 'AFNI_atr') addNiml(builder, open.content);
    if (name === 'Label' || name === 'AFNI_atr') open = undefined;
  });
  parser.on('error', (error) => {
    throw new StriaError('corrupt', `the XML of the label table is broken: ${error.message.slice(0, 200)}`, { cause: error });
  });
  parser.write(text).close();
  return builder.table();
}

/** The labels of a NIML table: AFNI's `.niml.lt`. @throws StriaError `unsupported` */
export function nimlLabels(text: string): LabelTable {
  const builder = new TableBuilder();
  addNiml(builder, text);
  return builder.table();
}

/** Whether a text looks like `nimlLabels`, whose tags are not XML: their attributes may stand for the content. */
export function isNiml(text: string): boolean {
  return /^\s*"?\s*<(VALUE_LABEL_DTABLE|ATLAS_LABEL_TABLE)\b/.test(text);
}

function addGifti(builder: TableBuilder, { Key, Red, Green, Blue }: Attributes, name: string): void {
  if (Key === undefined || Key.trim() === '') return;
  const parts = [Red, Green, Blue].map((part) => 255 * Number(part ?? Number.NaN));
  builder.add({ number: Number(Key), name, color: hexColor(parts) });
}

function addNiml(builder: TableBuilder, text: string): void {
  const start = text.indexOf('<VALUE_LABEL_DTABLE');
  if (start >= 0) {
    // The tag's attributes are also in quotes.
    const begin = text.indexOf('>', start) + 1;
    const end = text.indexOf('</VALUE_LABEL_DTABLE', begin);
    const content = begin === 0 ? '' : text.slice(begin, end < 0 ? undefined : end);
    for (const [, number, name] of content.matchAll(/"([^"]*)"\s{0,100}"([^"]*)"/g))
      builder.add({ number: numberOf(number), name });
  }
  for (const [point] of text.matchAll(/<ATLAS_POINT\b[^<>]*>/g)) {
    const value = (attribute: string) => new RegExp(`\\b${attribute}="([^"]*)"`).exec(point)?.[1];
    builder.add({ number: numberOf(value('VAL')), name: value('STRUCT') });
  }
}

function numberOf(text: string | undefined): number {
  return text === undefined || text.trim() === '' ? Number.NaN : Number(text);
}
