import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../shared/bytes.ts';
import { toStriaError } from '../../shared/errors.ts';
import type { LabelTable } from '../../shared/label-table.ts';
import { parseLabelTable, readLabelTable } from './read-label-table.ts';

const parse = (text: string): LabelTable => parseLabelTable(new TextEncoder().encode(text));

const tagOf = (text: string): string => {
  try {
    parse(text);
    return 'none';
  } catch (error) {
    return toStriaError(error).tag;
  }
};

describe('formats', () => {
  test('ITK-SNAP: names, colours and hidden labels', () => {
    const text = `################################################
# ITK-SnAP Label Description File
    0     0    0    0        0  0  0    "Clear Label"
    1   255    0    0        1  1  1    "Left ventricle, lateral"
   22    12  200  255      0.5  0  1    "Say ""x"""
`;
    expect(parse(text)).toEqual([
      { number: 0, name: 'Clear Label', color: '#000000' },
      { number: 1, name: 'Left ventricle, lateral', color: '#ff0000' },
      { number: 22, name: 'Say ""x""', color: '#0cc8ff', isHidden: true },
    ]);
  });

  test('FreeSurfer and 3D Slicer: alpha is not part of the name, and names may have spaces', () => {
    const text = `#$Id: FreeSurferColorLUT.txt
#No. Label Name:                            R   G   B   A

0   Unknown                                 0   0   0   0
17  Left-Hippocampus                        220 216 20  0
2035    ctx-rh-insula                       255 192 32  0
14 3rd Ventricle 204 182 142 255
`;
    expect(parse(text)).toEqual([
      { number: 0, name: 'Unknown', color: '#000000' },
      { number: 17, name: 'Left-Hippocampus', color: '#dcd814' },
      { number: 2035, name: 'ctx-rh-insula', color: '#ffc020' },
      { number: 14, name: '3rd Ventricle', color: '#ccb68e' },
    ]);
  });

  test('FSLeyes: colours from 0 to 1', () => {
    expect(parse('1 1.00000 0.50000 0.00000 Frontal Pole\n2 0.0 1 0 Insular Cortex\n')).toEqual([
      { number: 1, name: 'Frontal Pole', color: '#ff8000' },
      { number: 2, name: 'Insular Cortex', color: '#00ff00' },
    ]);
  });

  test('CSV and TSV with a header row: columns in any order, quotes, a colour as text or as three columns', () => {
    expect(
      parse('index\tname\tabbreviation\tcolor\tmapping\r\n1\tGray Matter\tGM\t#ff53bb\t1\r\n2\tWhite Matter\tWM\t#2f8bbe\t2\r\n'),
    ).toEqual([
      { number: 1, name: 'Gray Matter', color: '#ff53bb' },
      { number: 2, name: 'White Matter', color: '#2f8bbe' },
    ]);
    expect(parse('\uFEFFname,red,green,blue,id\n"Cortex, ""left""",1,2,3,997\nroot,255,255,255,-7\n')).toEqual([
      { number: 997, name: 'Cortex, "left"', color: '#010203' },
      { number: -7, name: 'root', color: '#ffffff' },
    ]);
    // The Allen atlas's own table.
    expect(parse('id,atlas_id,name,acronym,color_hex_triplet\n312782546,,"Anterior area, layer 1",VISa1,008599\n')).toEqual([
      { number: 312_782_546, name: 'Anterior area, layer 1', color: '#008599' },
    ]);
    expect(parse('label;name\n3;Liver\n')).toEqual([{ number: 3, name: 'Liver' }]);
  });

  test('CSV without a header row, with or without a colour; and numbers with names', () => {
    expect(parse('1,Liver,221,130,101\n2,Spleen\n3,"Kidney, left",0.5,1.0,0.0')).toEqual([
      { number: 1, name: 'Liver', color: '#dd8265' },
      { number: 2, name: 'Spleen' },
      { number: 3, name: 'Kidney, left', color: '#80ff00' },
    ]);
    expect(parse('1 Precentral_L\n2 Precentral_R\n')).toEqual([
      { number: 1, name: 'Precentral_L' },
      { number: 2, name: 'Precentral_R' },
    ]);
  });

  test('GIFTI, as in extensions of Connectome Workbench', () => {
    const text = `<?xml version="1.0" encoding="UTF-8"?>
<CaretExtension><VolumeInformation Index="0"><LabelTable>
<Label Key="0" Red="1" Green="1" Blue="1" Alpha="0"><![CDATA[???]]></Label>
<Label Key="8" Red="0.9" Green="0.58" Blue="0.13" Alpha="1"><![CDATA[CEREBELLUM_CORTEX & more]]></Label>
</LabelTable><VolumeType><![CDATA[Label]]></VolumeType></VolumeInformation></CaretExtension>`;
    expect(parse(text)).toEqual([
      { number: 0, name: '???', color: '#ffffff' },
      { number: 8, name: 'CEREBELLUM_CORTEX & more', color: '#e69421' },
    ]);
  });

  test('AFNI: value tables and atlas points, in an extension and as a file', () => {
    const table =
      '<VALUE_LABEL_DTABLE\n ni_type="2*String"\n ni_dimen="2" >\n "4" "Left > Amygdala"\n "22" "Right Amygdala"\n</VALUE_LABEL_DTABLE>';
    const labels = [
      { number: 4, name: 'Left > Amygdala' },
      { number: 22, name: 'Right Amygdala' },
    ];
    expect(parse(table)).toEqual(labels);
    const escaped = (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
    const attribute = (name: string, text: string) =>
      `<AFNI_attributes self_idcode="x"><AFNI_atr ni_type="String" ni_dimen="1" atr_name="${name}" >"${escaped(text)}"</AFNI_atr></AFNI_attributes>`;
    expect(parse(attribute('VALUE_LABEL_DTABLE', table))).toEqual(labels);
    const points =
      '<ATLAS_LABEL_TABLE>\n<ATLAS_POINT data_type="atlas_point" STRUCT="Left Hippocampus" VAL="68" OKEY="68" />\n</ATLAS_LABEL_TABLE>';
    expect(parse(attribute('ATLAS_LABEL_TABLE', points))).toEqual([{ number: 68, name: 'Left Hippocampus' }]);
  });

  test('UTF-16 and Latin-1', () => {
    const utf16 = new Uint8Array([0xff, 0xfe, ...[...'1,Größe\n'].flatMap((c) => [c.charCodeAt(0) & 255, c.charCodeAt(0) >> 8])]);
    const bigEndian = utf16.map((_, at) => utf16[at ^ 1] as number);
    for (const bytes of [utf16, bigEndian]) expect(parseLabelTable(bytes)).toEqual([{ number: 1, name: 'Größe' }]);
    expect(parseLabelTable(Uint8Array.from([...'1,Größe'].map((c) => c.charCodeAt(0))))).toEqual([{ number: 1, name: 'Größe' }]);
  });
});

describe('bad and hostile tables', () => {
  test.each([
    ['nothing', ''],
    ['prose', 'Dear reader,\nthis is a letter.\nYours'],
    ['numbers alone', '1 2 3\n4 5 6\n'],
    ['a CSV of something else', 'subject,age\n1,30\n2,40\n'],
    ['XML of something else', '<a><b/></a>'],
    ['bytes', '\0\x01\x02\x03'],
  ])('%s: the message says that it is not a table', (_, text) => {
    expect(tagOf(text)).toBe('unsupported');
  });

  test('broken and deep XML', () => {
    expect(tagOf('<a><Label Key="1">x</a>')).toBe('corrupt');
    expect(tagOf('<a>'.repeat(200))).toBe('corrupt');
    expect(tagOf('<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx">]><a><Label Key="1">&x;</Label></a>')).toBe('corrupt');
  });

  test('invalid and duplicate numbers', () => {
    expect(parse('index,name\n1.5,a\n99999999999,b\n4294967296,c\n-2147483649,d\n7,e\n7,f\n')).toEqual([
      { number: 7, name: 'f' },
    ]);
    expect(parse('1 a 300 0 0 0\n2 b 1 2 3 0\n3 c 1 2 3 0')).toEqual([
      { number: 2, name: 'b', color: '#010203' },
      { number: 3, name: 'c', color: '#010203' },
    ]);
  });

  test('long names and lines are cut, and too many labels refused', () => {
    expect(parse(`1,${'x'.repeat(1000)}\n2,${'y'.repeat(100_000)}\n3,z`)).toEqual([
      { number: 1, name: 'x'.repeat(200) },
      { number: 3, name: 'z' },
    ]);
    expect(tagOf(Array.from({ length: 70_000 }, (_, number) => `${number},n${number}`).join('\n'))).toBe('unsupported');
  });

  test.each([
    ['quotes', `"1" `.repeat(200_000)],
    ['points without an end', '<ATLAS_POINT '.repeat(200_000)],
    ['blanks', `1${' '.repeat(2_000_000)}x`],
    ['digits', '1'.repeat(2_000_000)],
    ['words', `1 a${' 2'.repeat(2000)}\n`.repeat(300)],
  ])('%s: reading takes time in proportion to the length', (_, text) => {
    const start = process.cpuUsage();
    tagOf(`<VALUE_LABEL_DTABLE ${text}`);
    tagOf(text);
    const { user } = process.cpuUsage(start);
    expect(user / 1000).toBeLessThan(4000);
  });

  test('a large file is not read', async () => {
    const source = { ...memorySource('big.csv', new Uint8Array(1)), size: 2 ** 40 };
    await expect(readLabelTable(source)).rejects.toMatchObject({ tag: 'unsupported', context: ['big.csv'] });
  });

  test('every truncation and random changes of a table give a table or a typed error', () => {
    const text =
      '<CaretExtension><LabelTable><Label Key="8" Red="0.9" Green="0.5" Blue="0.1">A</Label></LabelTable></CaretExtension>';
    for (let end = 0; end < text.length; end++) expect(tagOf(text.slice(0, end))).not.toBe('internal');
    const noise = gzipSync(new TextEncoder().encode(text.repeat(3)));
    for (let at = 0; at < text.length; at++) {
      const changed = text.slice(0, at) + String.fromCharCode(noise[at % noise.length] as number) + text.slice(at + 1);
      expect(tagOf(changed)).not.toBe('internal');
    }
  });
});
