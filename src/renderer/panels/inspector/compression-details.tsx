import type { StageSpan } from '../../../core/stream/stage-times.ts';
import type { CompressionResult, StageClock } from '../../app/state/result.ts';
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
  const result = isRunning ? undefined : compressed?.result;
  if (!result && !hasChunks) return null;
  return (
    <Fold title="Details" {...fold} testId="compression-details">
      <div className={styles.content}>
        {result && <Facts facts={factsOf(result)} testId="result-facts" />}
        {result && <Timeline spans={followedBy(result.timeline, saved)} testId="result-timeline" />}
        <ChunkTable />
      </div>
    </Fold>
  );
}

function factsOf({ encode, decode, voxelBytes, gpuBytes }: CompressionResult): Fact[] {
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
