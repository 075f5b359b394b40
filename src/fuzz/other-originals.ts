import type { TestFile } from '../core/io/common/source-testing.ts';
import type { MeshFormat } from '../core/mesh/mesh-formats.ts';
import {
  asciiPly,
  asciiStl,
  binaryPly,
  freesurferBytes,
  freesurferFooter,
  giftiSystem,
  giftiText,
  gltfText,
  objText,
  tetrahedron,
  textBytes,
  writtenMesh,
} from '../core/mesh/read/mesh-files-testing.ts';
import { writeMesh } from '../core/mesh/write/write-mesh.ts';
import {
  gadgetBytes,
  nchiladaFiles,
  npyBytes,
  type TestGroup,
  tipsyBytes,
} from '../core/particles/formats/particle-files-testing.ts';

// Undamaged files other than volumes: particles, label tables, meshes, matrices.

export interface OtherOriginal {
  readonly kind: 'particles' | 'labels' | 'mesh' | 'matrix';
  readonly name: string;
  readonly files: readonly TestFile[];
  readonly isText?: true;
  /** The files are in one folder, which is opened. */
  readonly isFolder?: true;
}

const gas: TestGroup = {
  positions: [0.5, -0.25, 0.125, 0.75, 1, -1, 3, 4, 5],
  masses: [1, 2.5, 0.5],
  smoothing: [0.25, 0.5, 1],
};
const dark: TestGroup = { positions: [1.5, 2.5, 3.5, -0.5, -0.5, -0.5], masses: [8, 16], smoothing: [] };
const star: TestGroup = { positions: [0, 0, 0.0625], masses: [32], smoothing: [] };

export async function otherOriginals(): Promise<OtherOriginal[]> {
  return [...(await particleOriginals()), ...tableOriginals(), ...(await meshOriginals()), ...matrixOriginals()];
}

async function particleOriginals(): Promise<OtherOriginal[]> {
  const one = (name: string, bytes: Uint8Array, isText = false): OtherOriginal => ({
    kind: 'particles',
    name,
    files: [{ name, bytes }],
    ...(isText && { isText }),
  });
  const text = (value: string) => new TextEncoder().encode(value);
  const rows = [0.5, 1, 2, 10, 0.25, 3, 4, 5, 20, 0.5, -1, -1, 0, 5, 1];
  const gadget = { boxSize: 8, tableMass: 7 };
  return [
    one('sim.00100', tipsyBytes([gas, dark, star])),
    one('native.00100', tipsyBytes([gas, dark, star], { littleEndian: true, doublePositions: true })),
    one('p.npy', npyBytes(rows, [3, 5])),
    one('columns.npy', npyBytes(rows, [5, 3], { isFortran: true, type: '>f4' })),
    one('p.csv', text('x,y,z,mass,smoothing\n1,2,3,4,0.5\n-1,0.5,2e-1,3,1\n0,0,0,1,2\n'), true),
    one('p.txt', text('# comment\n1 2 3 4\n-1 0.5 2e-1 3\n'), true),
    one('snap.hdf5', await gadgetBytes({ 0: gas, 1: { ...dark, masses: [7, 7] }, 4: dark }, gadget)),
    {
      kind: 'particles',
      name: 'sim',
      files: Object.entries({ ...nchiladaFiles('gas', gas), ...nchiladaFiles('dark', dark, 10) }).map(([name, bytes]) => ({
        name,
        bytes,
      })),
      isFolder: true,
    },
  ];
}

async function meshOriginals(): Promise<OtherOriginal[]> {
  const one = (name: string, content: Uint8Array | string): OtherOriginal => {
    const isText = typeof content === 'string';
    const files = [{ name, bytes: isText ? textBytes(content) : content }];
    return { kind: 'mesh', name, files, ...(isText && { isText }) };
  };
  const written = (format: MeshFormat) => writtenMesh(writeMesh, format, [{ name: 'four', mesh: tetrahedron }]);
  const glb = await written('glb');
  const geometry = 'valid = 1\nvolume = 4 4 4\nxras = -1 0 0\nyras = 0 0 -1\nzras = 0 1 0\ncras = 5 6 7\n';
  const about = giftiSystem('NIFTI_XFORM_UNKNOWN', 'NIFTI_XFORM_SCANNER_ANAT', [1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7, 0, 0, 0, 1]);
  return [
    one('binary.stl', await written('stl')),
    one('text.stl', asciiStl),
    one('text.ply', asciiPly),
    one('little.ply', binaryPly(true)),
    one('big.ply', binaryPly(false)),
    one('written.ply', await written('ply')),
    one('parts.obj', objText),
    one('written.glb', glb),
    one('data.gltf', gltfText(glb)),
    one('text.surf.gii', giftiText(tetrahedron, { encoding: 'ASCII', about })),
    one('packed.surf.gii', giftiText(tetrahedron)),
    one('plain.surf.gii', giftiText(tetrahedron, { encoding: 'Base64Binary', isBig: true })),
    one('lh.pial', freesurferBytes(tetrahedron, freesurferFooter(geometry))),
  ];
}

const matrices: Readonly<Record<string, string>> = {
  'affine.tfm':
    '#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\nParameters: 1 0.1 0 0 1 0 0 0 1 5 -6 7.5\nFixedParameters: 1 2 3\n',
  'versor.txt':
    '#Insight Transform File V1.0\nTransform: VersorRigid3DTransform_double_3_3\nParameters: 0.1 0.2 -0.1 5 6 7\nFixedParameters: 0 0 0\n',
  'euler.tfm':
    '#Insight Transform File V1.0\nTransform: Euler3DTransform_double_3_3\nParameters: 0.1 0.2 0.3 5 6 7\nFixedParameters: 0 0 0 1\n',
  'flirt.mat': '1  0  0  2.5\n0 0.5 -0.5  -3\n0  0.5 0.5  1e1\n0  0  0  1\n',
  'plain.txt': '# a comment\n[[1, 0, 0, 2], [0, 1, 0, 3], [0, 0, -1, 4]]\n',
};

function matrixOriginals(): OtherOriginal[] {
  return Object.entries(matrices).map(([name, words]) => ({
    kind: 'matrix',
    name,
    files: [{ name, bytes: textBytes(words) }],
    isText: true,
  }));
}

const tables: Readonly<Record<string, string>> = {
  'snap.label':
    '# ITK-SnAP\n    0     0    0    0        0  0  0    "Clear Label"\n    1   255    0    0        1  1  1    "Left"\n',
  'free.txt':
    '#No. Label Name: R G B A\n0 Unknown 0 0 0 0\n17  Left-Hippocampus  220 216 20  0\n14 3rd Ventricle 204 182 142 255\n',
  'fsl.lut': '1 1.00000 0.50000 0.00000 Frontal Pole\n2 0.0 1 0 Insular Cortex\n',
  'bids.tsv': 'index\tname\tabbreviation\tcolor\tmapping\r\n1\tGray Matter\tGM\t#ff53bb\t1\r\n2\tWhite\tWM\t#2f8bbe\t2\r\n',
  'atlas.csv': '\uFEFFname,red,green,blue,id\n"Cortex, ""left""",1,2,3,997\nroot,255,255,255,-7\n',
  'plain.csv': '1,Liver,221,130,101\n2,Spleen\n3,"Kidney, left",0.5,1.0,0.0',
  'workbench.xml':
    '<?xml version="1.0"?><CaretExtension><VolumeInformation Index="0"><LabelTable><Label Key="0" Red="1" Green="1" Blue="1" Alpha="0">' +
    '<![CDATA[???]]></Label><Label Key="8" Red="0.9" Green="0.58" Blue="0.13" Alpha="1">A &amp; b</Label></LabelTable></VolumeInformation></CaretExtension>',
  'afni.niml.lt':
    '<VALUE_LABEL_DTABLE\n ni_type="2*String"\n ni_dimen="2" >\n "4" "Left > Amygdala"\n "22" "Right"\n</VALUE_LABEL_DTABLE>',
  'points.niml.lt': '<ATLAS_LABEL_TABLE>\n<ATLAS_POINT STRUCT="Left Hippocampus" VAL="68" OKEY="68" />\n</ATLAS_LABEL_TABLE>',
};

function tableOriginals(): OtherOriginal[] {
  return Object.entries(tables).map(([name, words]) => ({
    kind: 'labels',
    name,
    files: [{ name, bytes: new TextEncoder().encode(words) }],
    isText: true,
  }));
}
