import { CircleCheck, ShieldCheck } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import type { StageSpan } from '../../../core/stream/stage-times.ts';
import { type CompressionResult, ratioOf, type StageClock } from '../../app/state/result.ts';
import { followedBy } from '../../app/words/timeline.ts';
import { formatBytes, formatDuration, formatRate, formatRatio } from '../../app/words/units.ts';
import { type Fact, Facts } from '../controls/facts.tsx';
import { useAppState } from '../hooks/use-app.ts';
import styles from './result-card.module.css';
import { Timeline } from './timeline.tsx';

const noSpans: readonly StageSpan[] = [];

interface ResultCardProps {
  readonly result: CompressionResult;
  /** People waited for it. */
  readonly isAsked: boolean;
  /** What to do with it. */
  readonly children: ReactNode;
}

/** What compression made of the volume. */
export function ResultCard({ result, isAsked, children }: ResultCardProps) {
  const place = useRef<HTMLDivElement>(null);
  // A new result is what people waited for: it comes into view, wherever the inspector was scrolled to.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the result that is new
  useEffect(() => {
    if (isAsked) place.current?.scrollIntoView({ block: 'nearest' });
  }, [result]);
  const { bytesIn, bytesOut, voxelBytes, isExact } = result;
  const part = Math.min(1, bytesOut / bytesIn);
  const stage = ({ ms, clock }: StageClock): ReactNode => (
    <>
      {formatDuration(ms)} · {formatRate((voxelBytes / ms) * 1000)} <span className={styles.clock}>{clock}</span>
    </>
  );
  const facts: Fact[] = [
    ...(result.encode ? [{ label: 'Encode', value: stage(result.encode), title: clockTitle(result.encode) }] : []),
    ...(result.decode ? [{ label: 'Decode', value: stage(result.decode), title: clockTitle(result.decode) }] : []),
    ...(result.gpuBytes
      ? [
          {
            label: 'GPU memory',
            value: `${formatBytes(result.gpuBytes.before)} → ${formatBytes(result.gpuBytes.after)}`,
            title: 'The volume in GPU memory as voxels, and what its compressed bytes would take there',
          },
        ]
      : []),
  ];
  const saved = useAppState(({ save }) => (save.kind === 'saved' ? save.timeline : noSpans));
  return (
    <div ref={place} className={styles.card} data-testid="result-card">
      <div className={styles.ratio} data-testid="result-ratio">
        {formatRatio(ratioOf(result))}
      </div>
      <div className={styles.bar} aria-hidden>
        <div className={styles.after} style={{ width: `max(2px, ${100 * part}%)` }} />
      </div>
      <div className={styles.sizes} data-testid="result-size">
        <span>{formatBytes(bytesOut)}</span>
        <span>from {formatBytes(bytesIn)}</span>
      </div>
      <Facts facts={facts} />
      <Timeline spans={followedBy(result.timeline, saved)} testId="result-timeline" />
      <p className={styles.exact} data-testid="result-exact">
        {isExact ? (
          <>
            <CircleCheck size={14} className={styles.good} aria-hidden />
            Bit-exact: checked on the GPU
          </>
        ) : (
          <>
            <ShieldCheck size={14} aria-hidden />
            Lossless; each chunk is checked when it is opened
          </>
        )}
      </p>
      {children}
    </div>
  );
}

function clockTitle({ clock }: StageClock): string {
  return clock === 'GPU'
    ? 'By the GPU’s own clock: the kernels alone'
    : 'By the wall clock: kernels, and copies between GPU and processor';
}
