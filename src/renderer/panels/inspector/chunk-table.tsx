import type { CSSProperties } from 'react';
import type { ChunkShare } from '../../../core/chunks/chunk-tally.ts';
import { formatBytes, formatCount } from '../../app/words/units.ts';
import { describeWay, formatShare, reasonOf } from '../../app/words/ways.ts';
import { wayLook } from '../../viewer/colors/way-colors.ts';
import { Toggle } from '../controls/toggle.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './chunk-table.module.css';

/** How the chunks of the open volume were encoded: a row per encoding with its count and reason, and a switch that shows the chunks on the slices. */
export function ChunkTable() {
  const { store } = useApp();
  const chunks = useAppState((state) => state.chunks);
  const showChunks = useAppState((state) => state.showChunks);
  // After compressing from a file, only the counts of the chunks are kept, not the chunks.
  const counted = useAppState(({ compressed }) => compressed?.result.shares);
  const shares = chunks?.shares ?? counted;
  if (!shares) return null;
  const count = shares.reduce((sum, share) => sum + share.count, 0);
  const bytes = shares.reduce((sum, share) => sum + share.bytes, 0);
  return (
    <div className={styles.chunks}>
      <table className={styles.table} data-testid="chunk-table">
        <thead>
          <tr>
            <th scope="col" colSpan={2}>
              Chunks
            </th>
            <th scope="col" className={styles.number}>
              {formatCount(count)}
            </th>
            <th scope="col" className={styles.number}>
              {formatBytes(bytes)}
            </th>
          </tr>
        </thead>
        <tbody>
          {shares.map((share, way) => (
            <Row key={describeWay(share)} share={share} way={way} count={count} bytes={bytes} />
          ))}
        </tbody>
      </table>
      {chunks && (
        <Toggle
          label="Show chunks on the slices"
          isOn={showChunks}
          onChange={(isOn) => store.setState({ showChunks: isOn })}
          testId="show-chunks"
        />
      )}
    </div>
  );
}

interface RowProps {
  readonly share: ChunkShare;
  /** Index of the row. */
  readonly way: number;
  /** Share of all chunks. */
  readonly count: number;
  readonly bytes: number;
}

function Row({ share, way, count, bytes }: RowProps) {
  const { color, ink, isStriped } = wayLook(way);
  const look = { '--way': color, '--way-ink': ink } as CSSProperties;
  return (
    <tr>
      <td>
        <span className={styles.swatch} style={look} data-striped={isStriped || undefined}>
          {way + 1}
        </span>
      </td>
      <th scope="row">
        {describeWay(share)}
        <span className={styles.more}>{reasonOf(share)}</span>
      </th>
      <td className={styles.number}>
        {formatCount(share.count)}
        <span className={styles.more}>{formatShare(share.count, count)}</span>
      </td>
      <td className={styles.number}>
        {formatBytes(share.bytes)}
        <span className={styles.more}>{formatShare(share.bytes, bytes)}</span>
      </td>
    </tr>
  );
}
