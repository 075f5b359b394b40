import type { StageSpan } from '../../../core/stream/stage-times.ts';
import type { CompressedState } from '../../app/state/document-state.ts';
import type { StageClock } from '../../app/state/result.ts';
import { followedBy } from '../../app/words/timeline.ts';
import { formatBytes, formatDuration, formatRate } from '../../app/words/units.ts';
import { type Fact, Facts } from '../controls/facts.tsx';
import { Fold } from '../controls/fold.tsx';
import { useAppState } from '../hooks/use-app.ts';
import { useFold } from '../hooks/use-fold.ts';
import { ChunkTable } from './chunk-table.tsx';
import styles from './compression-details.module.css';
import { Timeline } from './timeline.tsx';

const noSpans: readonly StageSpan[] = [];

/** Times, GPU memory and chunks of a compression, or only the chunks of a .stria that was opened. */
export function CompressionDetails() {
  const fold = useFold('details');
  const isRunning = useAppState((state) => state.compression.kind === 'running');
  const compressed = useAppState((state) => state.compressed);
  const hasChunks = useAppState((state) => state.chunks !== undefined);
  const saved = useAppState(({ save }) => (save.kind === 'saved' ? save.timeline : noSpans));
  const shown = isRunning ? undefined : compressed;
  if (!shown && !hasChunks) return null;
  return (
    <Fold title="Details" {...fold} testId="compression-details">
      <div className={styles.content}>
        {shown && <Facts facts={factsOf(shown)} testId="result-facts" />}
        {shown && <Timeline spans={followedBy(spansOf(shown), saved)} testId="result-timeline" />}
        <ChunkTable />
      </div>
    </Fold>
  );
}

function spansOf({ result, readBack }: CompressedState): readonly StageSpan[] {
  return readBack ? [...result.timeline, readBack.span] : result.timeline;
}

function factsOf({ result, ms, readBack }: CompressedState): Fact[] {
  const { encode, decode, voxelBytes, gpuBytes } = result;
  const stage = (label: string, { ms, clock }: StageClock): Fact => ({
    label,
    value: (
      <>
        {formatDuration(ms)} · {formatRate((voxelBytes / ms) * 1000)} <span className={styles.clock}>{clock}</span>
      </>
    ),
    title: clock === 'GPU' ? 'GPU timestamps: kernels only' : 'Wall-clock time: kernels and copies between GPU and CPU',
  });
  return [
    ...(ms === undefined
      ? []
      : [
          {
            label: 'Result',
            value: `after ${formatDuration(ms)}`,
            title: 'From the click until the volume was compressed and checked, in GPU memory',
          },
        ]),
    ...(readBack === undefined
      ? []
      : [
          {
            label: 'Read back',
            value: `after ${formatDuration(readBack.ms)}`,
            title: 'From the click until the compressed bytes were in host memory, ready to be saved',
          },
        ]),
    ...(encode ? [stage('Encode', encode)] : []),
    ...(decode ? [stage('Decode', decode)] : []),
    ...(gpuBytes
      ? [
          {
            label: 'GPU memory',
            value: `${formatBytes(gpuBytes.before)} → ${formatBytes(gpuBytes.after)}`,
            title: 'GPU memory of the volume, uncompressed and compressed',
          },
        ]
      : []),
  ];
}
