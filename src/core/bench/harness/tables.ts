export const suiteNames = ['seeds', 'codecs', 'compress', 'playback', 'view', 'bricks', 'mesh', 'files'] as const;
export type SuiteName = (typeof suiteNames)[number];

export const tableIds = [
  'codecs',
  'rutter',
  'rutter-transfer',
  'parle',
  'cuvle-entropy',
  'cuvle-size',
  'cuvle-plane',
  'metal-rice',
  'compress',
  'playback',
  'view',
  'bricks',
  'mesh',
  'files',
] as const;
export type TableId = (typeof tableIds)[number];

export interface BenchTable {
  readonly title: string;
  /** The paper behind the table, for display. Undefined for Stria's own tables. */
  readonly source: string | undefined;
  readonly axis: { readonly label: string; readonly scale: 'words' | 'linear' | 'log' };
  /** For a table shown as a plane: the label of its rows, and the two methods that each cell compares. */
  readonly plane?: { readonly label: string; readonly slower: string; readonly faster: string };
}

export const benchTables: Readonly<Record<TableId, BenchTable>> = {
  codecs: {
    title: 'Every codec on every sample',
    source: undefined,
    axis: { label: 'sample', scale: 'words' },
  },
  rutter: {
    title: 'Run lengths of four volumes',
    source: 'R. Rutter, Run-length Encoding on Graphics Hardware, University of Alaska Fairbanks, 2011',
    axis: { label: 'volume', scale: 'words' },
  },
  'rutter-transfer': {
    title: 'From the GPU to the host: raw and compressed',
    source: 'R. Rutter, Run-length Encoding on Graphics Hardware, University of Alaska Fairbanks, 2011',
    axis: { label: 'volume', scale: 'words' },
  },
  parle: {
    title: 'Run lengths of 32-bit integers',
    source: 'Implementing run-length encoding in CUDA (PARLE, after A. Balevic 2009)',
    axis: { label: 'integers', scale: 'log' },
  },
  'cuvle-entropy': {
    title: 'Variable-length codes by entropy',
    source: 'CUVLE: Variable-Length Encoding on CUDA (beside PAVLE of A. Balevic)',
    axis: { label: 'bits of entropy per byte', scale: 'linear' },
  },
  'cuvle-size': {
    title: 'Variable-length codes by size',
    source: 'CUVLE: Variable-Length Encoding on CUDA (beside PAVLE of A. Balevic)',
    axis: { label: 'MB', scale: 'log' },
  },
  'cuvle-plane': {
    title: 'Variable-length codes by entropy and size',
    source: 'CUVLE: Variable-Length Encoding on CUDA (beside PAVLE of A. Balevic)',
    axis: { label: 'MB', scale: 'log' },
    plane: { label: 'bits of entropy per byte', slower: 'PAVLE', faster: 'CUVLE in two passes' },
  },
  'metal-rice': {
    title: 'Rice codes of one picture',
    source: 'M. DeJong, Rice decoding on the GPU with Metal, 2018',
    axis: { label: 'layout', scale: 'words' },
  },
  compress: {
    title: 'Compress, on volumes in GPU memory, by the clock',
    source: undefined,
    axis: { label: 'sample', scale: 'words' },
  },
  playback: {
    title: 'A stack played from compressed GPU memory',
    source: undefined,
    axis: { label: 'codec', scale: 'words' },
  },
  view: {
    title: 'The 3D view, turning',
    source: undefined,
    axis: { label: 'projection', scale: 'words' },
  },
  bricks: {
    title: 'Volumes larger than memory, and series in 3D',
    source: undefined,
    axis: { label: 'work', scale: 'words' },
  },
  mesh: {
    title: 'Surfaces as meshes',
    source: undefined,
    axis: { label: 'surfaces', scale: 'words' },
  },
  files: {
    title: 'Whole files through the whole program',
    source: undefined,
    axis: { label: 'file', scale: 'words' },
  },
};
