import {
  ArrowLeftRight,
  ArrowRightToLine,
  LoaderCircle,
  Pause,
  Play,
  Repeat,
  SkipBack,
  SkipForward,
  StepBack,
  StepForward,
  X,
} from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import type { PlaybackState } from '../../app/state/store.ts';
import { numberOf, ofCount } from '../../app/words/counting.ts';
import { thinSpace } from '../../app/words/units.ts';
import type { AtEnd, Pace } from '../../playback/frame-clock.ts';
import type { Player } from '../../playback/player.ts';
import { IconButton } from '../controls/button.tsx';
import { CommandIconButton } from '../controls/command-button.tsx';
import { Range } from '../controls/range.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { Select } from '../controls/select.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import { choiceOf } from '../hooks/use-command.ts';
import styles from './transport-bar.module.css';
import { PlaybackFacts } from './transport-facts.tsx';
import { RateField } from './transport-rate.tsx';

const icon = { size: 16, 'aria-hidden': true } as const;

const ends: readonly { readonly key: AtEnd; readonly icon: ReactNode }[] = [
  { key: 'loop', icon: <Repeat {...icon} /> },
  { key: 'bounce', icon: <ArrowLeftRight {...icon} /> },
  { key: 'once', icon: <ArrowRightToLine {...icon} /> },
];

const paces: readonly Pace[] = ['hold', 'every'];

/** Playback controls, for volumes with more than one frame. */
export function TransportBar() {
  const playback = useAppState((state) => state.playback);
  return playback?.isOpen ? <Bar playback={playback} /> : null;
}

function Bar({ playback }: { readonly playback: PlaybackState }) {
  const app = useApp();
  const { player, stack, stacks, isPreparing } = playback;
  const { isPlaying } = useSyncExternalStore(player.subscribe, player.snapshot);
  const { atEnd, pace, rate } = useAppState((state) => state.settings.playback);
  const words = useCallback((index: number) => frameWords(stack.isSeries, index, player.frameCount), [stack, player]);
  const read = useCallback(() => player.index, [player]);
  const PlayIcon = isPreparing ? LoaderCircle : isPlaying ? Pause : Play;
  return (
    <section className={styles.bar} aria-label="Playback" data-testid="transport" data-playing={isPlaying}>
      <div className={styles.group}>
        <CommandIconButton id="frame-first" icon={<SkipBack {...icon} />} testId="frame-first" />
        <CommandIconButton id="frame-previous" icon={<StepBack {...icon} />} testId="frame-previous" />
        <span className={styles.play} data-busy={isPreparing}>
          <CommandIconButton
            id="play"
            icon={<PlayIcon {...icon} {...(!isPreparing && { fill: 'currentColor' })} />}
            testId="play-button"
          />
        </span>
        <CommandIconButton id="frame-next" icon={<StepForward {...icon} />} testId="frame-next" />
        <CommandIconButton id="frame-last" icon={<SkipForward {...icon} />} testId="frame-last" />
      </div>
      <div className={styles.scrub}>
        <Range
          label={stack.label}
          minimum={0}
          maximum={player.frameCount - 1}
          step={1}
          read={read}
          subscribe={player.onIndex}
          onInput={(index) => app.playback.scrub(index)}
          words={words}
          testId="scrubber"
        />
        <FrameNumber player={player} />
      </div>
      <div className={styles.group}>
        <RateField rate={rate} onChange={(chosen) => app.playback.set({ rate: chosen })} />
        <Segmented
          label="At the end"
          segments={ends.map((end) => ({ ...end, ...choiceOf(app, `play-${end.key}`), testId: `end-${end.key}` }))}
          value={atEnd}
          onChange={(chosen) => app.runCommand(`play-${chosen}`)}
        />
        <Segmented
          label="When frames are late"
          segments={paces.map((key) => {
            const { label, words } = choiceOf(app, `play-${key}`);
            return { key, label, icon: words, testId: `pace-${key}` };
          })}
          value={pace}
          onChange={(chosen) => app.runCommand(`play-${chosen}`)}
        />
        {stacks.length > 1 && (
          <div className={styles.stack}>
            <Select
              label="Play"
              options={stacks.map(({ axis, label }) => ({ key: axis, label }))}
              value={stack.axis}
              onChange={(axis) => app.playback.choose(axis)}
              testId="stack-select"
            />
          </div>
        )}
      </div>
      <PlaybackFacts player={player} isPreparing={isPreparing} />
      <span className={styles.close}>
        <IconButton label="Close player" icon={<X {...icon} />} onPress={() => app.playback.close()} testId="transport-close" />
      </span>
    </section>
  );
}

/** Written straight to the DOM, since it changes with every frame. */
function FrameNumber({ player }: { readonly player: Player }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const show = () => {
      if (place.current) place.current.textContent = String(numberOf(player.index));
    };
    show();
    return player.onIndex(show);
  }, [player]);
  return (
    <span
      className={styles.number}
      data-testid="frame-number"
      style={{ minWidth: `${2 * String(player.frameCount).length + 2}ch` }}
    >
      <span ref={place} />
      <span className={styles.last}>
        {thinSpace}/{thinSpace}
        {player.frameCount}
      </span>
    </span>
  );
}

function frameWords(isSeries: boolean, index: number, frameCount: number): string {
  return `${isSeries ? '' : 'slice '}${ofCount(index, frameCount)}`;
}
