import { CircleCheck, ShieldCheck } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { type CompressionResult, ratioOf } from '../../app/state/result.ts';
import { formatBytes, formatRatio } from '../../app/words/units.ts';
import styles from './result-card.module.css';

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
  const { bytesIn, bytesOut, isExact } = result;
  const part = Math.min(1, bytesOut / bytesIn);
  return (
    <div ref={place} className={styles.card} data-testid="result-card">
      <div className={styles.figures}>
        <div className={styles.ratio} data-testid="result-ratio">
          {formatRatio(ratioOf(result))}
        </div>
        <div className={styles.sizes} data-testid="result-size">
          <span>{formatBytes(bytesOut)}</span>
          <span>from {formatBytes(bytesIn)}</span>
        </div>
      </div>
      <div className={styles.bar} aria-hidden>
        <div className={styles.after} style={{ width: `max(2px, ${100 * part}%)` }} />
      </div>
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
