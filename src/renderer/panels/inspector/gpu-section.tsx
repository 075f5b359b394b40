import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import { openDocument } from '../../app/state/store.ts';
import { formatBytes } from '../../app/words/units.ts';
import { describeCodecs, describeHeld } from '../../app/words/ways.ts';
import type { LevelsState, UsedBytes } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { Facts } from '../controls/facts.tsx';
import { Progress } from '../controls/progress.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { Toggle } from '../controls/toggle.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './gpu-section.module.css';

/** The graphics adapter, and GPU memory by use. */
export function GpuSection() {
  const gpu = useAppState((state) => state.gpu);
  if (gpu.kind !== 'ready') return null;
  const Icon = gpu.gpu.isSoftware ? TriangleAlert : CircleCheck;
  return (
    <>
      <p className={styles.status} data-software={gpu.gpu.isSoftware} data-testid="gpu-status">
        <Icon size={14} aria-hidden />
        <span>
          {gpu.gpu.name}
          {gpu.gpu.isSoftware && <span className={styles.advice}>{gpu.gpu.diagnosis.advice}</span>}
        </span>
      </p>
      <ResidencyChoice />
      <MemoryByUse gpu={gpu.gpu} />
      <BricksByTier gpu={gpu.gpu} viewer={gpu.viewer} />
      <CopyButton />
    </>
  );
}

const residencies = [
  { key: 'raw', label: 'Uncompressed', testId: 'keep-raw' },
  { key: 'compressed', label: 'Compressed', testId: 'keep-compressed' },
] as const;

/** Chooses how the open volume is kept in GPU memory, and shows its size for each choice. */
function ResidencyChoice() {
  const app = useApp();
  const residency = useAppState((state) => state.residency);
  // The size of the whole file, as on the result card: the compressed result, or else the opened file.
  const fileBytes = useAppState(({ compressed, document }) => {
    if (compressed) return compressed.result.bytesOut;
    return document.kind === 'ready' ? document.document.fileBytes : undefined;
  });
  const isBusy = useAppState((state) => state.compression.kind === 'running' || state.save.kind === 'saving');
  const isSpace = useAppState((state) => openDocument(state)?.space !== undefined);
  if (!residency?.canBeCompressed || isSpace) return null;
  const { kept, progress, rawBytes, asFile, inGpu, canBeRaw } = residency;
  const isTranscoded =
    asFile !== undefined && inGpu !== undefined && describeCodecs(asFile.shares) !== describeCodecs(inGpu.shares);
  const isDisabled = isBusy || progress !== undefined || (kept === 'compressed' && !canBeRaw);
  const facts = [
    { label: 'Uncompressed', value: formatBytes(rawBytes) },
    { label: 'As a file', value: asFile ? describeHeld(fileBytes ?? asFile.bytes, asFile.shares) : 'not known yet' },
    ...(inGpu ? [{ label: 'In GPU memory', value: describeHeld(inGpu.bytes, inGpu.shares) }] : []),
  ];
  return (
    <div className={styles.residency} data-testid="residency" data-kept={kept}>
      <span className={styles.residencyLabel}>Keep in GPU memory</span>
      <Segmented
        label="Keep in GPU memory"
        segments={residencies}
        value={kept}
        onChange={(chosen) => void app.document.setResidency(chosen)}
        isDisabled={isDisabled}
      />
      <Facts facts={facts} testId="residency-facts" />
      {isTranscoded && (
        <span className={styles.advice} data-testid="transcoded">
          The file’s codec decodes too slowly for drawing, so GPU memory holds the same voxels in a faster one.
        </span>
      )}
      {!canBeRaw && <span className={styles.advice}>The uncompressed volume is too large for this GPU.</span>}
      {progress && (
        <>
          <Progress progress={progress} />
          <CommandButton id="cancel" />
        </>
      )}
    </div>
  );
}

function CopyButton() {
  return (
    <div>
      <CommandButton id="diagnostics" />
    </div>
  );
}

/** Display names for the first word of a scope's label. */
const uses: Readonly<Record<string, string>> = {
  volume: 'Volume, uncompressed',
  compressed: 'Volume, compressed',
  decoded: 'Decoded slices',
  display: '3D texture',
  overlay: 'Overlays',
  encode: 'Encoding',
  result: 'Compressed, not read back',
  decode: 'Decoding',
  check: 'Checking',
  transcode: 'Transcoding',
  spare: 'Spare',
  bricks: 'Bricks',
  'brick-rays': 'Bricks',
};

function MemoryByUse({ gpu }: { readonly gpu: Gpu }) {
  // React needs a snapshot that compares equal while nothing changes. A string does.
  const text = useSyncExternalStore(
    (listener) => everySoOften(gpu, listener),
    () => memoryText(gpu),
  );
  return <Facts facts={factsOf(text)} testId="gpu-memory" />;
}

/** The memory that bricks of a volume larger than GPU memory use in each tier, with the limits from the settings. */
function BricksByTier({ gpu, viewer }: { readonly gpu: Gpu; readonly viewer: Viewer }) {
  const text = useSyncExternalStore(
    (listener) => everySoOften(gpu, listener),
    () => brickText(viewer),
  );
  const { store } = useApp();
  const showBricks = useAppState((state) => state.showBricks);
  if (text === '') return null;
  return (
    <div className={styles.residency}>
      <span className={styles.residencyLabel}>Bricks for the 3D view</span>
      <Facts facts={factsOf(text)} testId="brick-memory" />
      <Toggle
        label="Show loaded bricks on the slices"
        isOn={showBricks}
        onChange={(isOn) => store.setState({ showBricks: isOn })}
        testId="show-bricks"
      />
    </div>
  );
}

function brickText({ bricks, layerBricks }: Viewer): string {
  const memory = layerBricks.withMemory(bricks.memory);
  if (!memory) return '';
  const { decoded, compressed, host, levels } = memory;
  const line = (label: string, { used, limit }: UsedBytes): string => `${label}\t${formatBytes(used)} of ${formatBytes(limit)}`;
  const ofLevels = levels ? [`Levels\t${levelWords(levels)}`] : [];
  return [line('Decoded', decoded), line('Compressed', compressed), line('In host memory', host), ...ofLevels].join('\n');
}

function levelWords(levels: LevelsState): string {
  switch (levels.kind) {
    case 'making':
      return `being made, ${levels.percent} %`;
    case 'made':
      return levels.leftOut === undefined ? 'made' : `made; no host memory for 1/${levels.leftOut} resolution`;
    case 'too-large':
      return 'no host memory for them';
    case 'failed':
      return 'could not be made';
  }
}

function factsOf(text: string) {
  return text.split('\n').map((line) => {
    const [label = '', value = ''] = line.split('\t');
    return { label, value };
  });
}

function memoryText({ memory }: Gpu): string {
  const sums = new Map<string, number>();
  for (const [label, bytes] of memory.entries()) {
    const use = uses[label.split('.')[0] ?? ''] ?? 'Other';
    sums.set(use, (sums.get(use) ?? 0) + bytes);
  }
  const lines = [...sums].sort((a, b) => b[1] - a[1]).map(([use, bytes]) => `${use}\t${formatBytes(bytes)}`);
  return [...lines, `Total\t${formatBytes(memory.liveBytes())}`].join('\n');
}

/** Limits updates to five a second, since the ledger changes with every small buffer. */
function everySoOften(gpu: Gpu, listener: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = gpu.memory.subscribe(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      listener();
    }, 200);
  });
  return () => {
    end();
    clearTimeout(timer);
  };
}
