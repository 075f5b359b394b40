import { CircleCheck, ShieldCheck } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { type CompressionResult, ratioOf } from '../../app/state/result.ts';
import { formatBytes, formatRatio } from '../../app/words/units.ts';
import { describeHeld } from '../../app/words/ways.ts';
import { Facts } from '../controls/facts.tsx';
import { useAppState } from '../hooks/use-app.ts';
import styles from './result-card.module.css';

interface ResultCardProps {
  readonly result: CompressionResult;
  /** Whether the user started the compression. */
  readonly isAsked: boolean;
  /** Actions on the result. */
  readonly children: ReactNode;
}

/** The result of a compression: ratio, sizes and whether it was verified. */
export function ResultCard({ result, isAsked, children }: ResultCardProps) {
  const place = useRef<HTMLDivElement>(null);
  // Scrolls a new result into view, since the user waited for it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls only for a new result
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
            Lossless; each chunk is verified when opened
          </>
        )}
      </p>
      <Places result={result} />
      {children}
    </div>
  );
}

/** The volume's size and codecs in the file and in GPU memory. */
function Places({ result: { bytesOut, shares } }: { readonly result: CompressionResult }) {
  const residency = useAppState((state) => state.residency);
  const inGpu = residency && (residency.inGpu ? describeHeld(residency.inGpu.bytes, residency.inGpu.shares) : undefined);
  const facts = [
    { label: 'File', value: describeHeld(bytesOut, shares) },
    ...(residency?.canBeCompressed
      ? [{ label: 'GPU memory', value: inGpu ?? `${formatBytes(residency.rawBytes)}, uncompressed` }]
      : []),
  ];
  return <Facts facts={facts} testId="result-places" />;
}
