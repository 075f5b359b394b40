import { useSyncExternalStore } from 'react';
import type { PlaybackState } from '../../app/state/store.ts';
import { formatBytes, formatCount, formatDuration, thinSpace } from '../../app/words/units.ts';
import type { Player } from '../../playback/player.ts';
import { useAppState } from '../hooks/use-app.ts';
import styles from './transport-bar.module.css';

/** Playback figures, or the progress of preparing the playback. */
export function PlaybackFacts({ player, isPreparing }: Pick<PlaybackState, 'player' | 'isPreparing'>) {
  return isPreparing ? <Preparing /> : <Figures player={player} />;
}

/** A component of its own, since these figures change a few times a second. */
function Figures({ player }: { readonly player: Player }) {
  const { figures } = useSyncExternalStore(player.subscribe, player.snapshot);
  const residency = useAppState((state) => state.residency);
  const { framesPerSecond, dropped, decodeMs } = figures;
  const isIdle = framesPerSecond === undefined && decodeMs === undefined;
  return (
    <dl className={styles.facts} data-testid="playback-facts">
      <Fact
        label="Achieved"
        value={`${framesPerSecond === undefined ? '–' : framesPerSecond.toFixed(1)}${thinSpace}fps`}
        isHidden={isIdle}
      />
      <Fact label="Dropped" value={`${formatCount(dropped)}${thinSpace}dropped`} isHidden={isIdle} />
      <Fact label="Decoding" value={`${decodeMs === undefined ? '–' : formatDuration(decodeMs)} decoding`} isHidden={isIdle} />
      {residency?.inGpu && (
        <Fact
          label="GPU memory, compressed and uncompressed"
          value={`${formatBytes(residency.inGpu.bytes)}, raw ${formatBytes(residency.rawBytes)}`}
        />
      )}
    </dl>
  );
}

function Preparing() {
  const progress = useAppState(({ compression, residency }) =>
    compression.kind === 'running' ? compression.progress : residency?.progress,
  );
  const { stage = 'Preparing', done = 0, total } = progress ?? {};
  return (
    <p className={styles.preparing} role="status">
      {stage} {total !== undefined && total > 0 && `${Math.floor((100 * done) / total)}${thinSpace}%`}
    </p>
  );
}

/** @param isHidden hides it, but keeps its space */
function Fact({
  label,
  value,
  isHidden = false,
}: {
  readonly label: string;
  readonly value: string;
  readonly isHidden?: boolean;
}) {
  return (
    <div className={isHidden ? styles.hidden : undefined}>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}
