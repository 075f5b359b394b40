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
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { showShortcut } from '../../app/shortcuts.ts';
import type { PlaybackState } from '../../app/state/store.ts';
import { numberOf, ofCount } from '../../app/words/counting.ts';
import { thinSpace } from '../../app/words/units.ts';
import type { AtEnd, Pace } from '../../playback/frame-clock.ts';
import type { Player } from '../../playback/player.ts';
import { IconButton } from '../controls/button.tsx';
import { Range } from '../controls/range.tsx';
import { type Segment, Segmented } from '../controls/segmented.tsx';
import { Select } from '../controls/select.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './transport-bar.module.css';
import { PlaybackFacts } from './transport-facts.tsx';
import { RateField } from './transport-rate.tsx';

const icon = { size: 16, 'aria-hidden': true } as const;

const ends: readonly Segment<AtEnd>[] = [
  { key: 'loop', label: 'Play in a loop', icon: <Repeat {...icon} />, testId: 'end-loop' },
  { key: 'bounce', label: 'Play back and forth', icon: <ArrowLeftRight {...icon} />, testId: 'end-bounce' },
  { key: 'once', label: 'Play once', icon: <ArrowRightToLine {...icon} />, testId: 'end-once' },
];

const paces: readonly Segment<Pace>[] = [
  { key: 'hold', label: 'Keep the frame rate: late frames are dropped', icon: 'Hold', testId: 'pace-hold' },
  { key: 'every', label: 'Show every frame: playback slows down if frames are late', icon: 'Every', testId: 'pace-every' },
];

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
  const key = (shortcut: string) => showShortcut(shortcut, app.isMac);
  return (
    <section className={styles.bar} aria-label="Playback" data-testid="transport" data-playing={isPlaying}>
      <div className={styles.group}>
        <IconButton
          label="First frame"
          shortcut={key('Home')}
          icon={<SkipBack {...icon} />}
          onPress={() => app.playback.step(-Infinity)}
          testId="frame-first"
        />
        <IconButton
          label="Previous frame"
          shortcut={key('ArrowLeft')}
          icon={<StepBack {...icon} />}
          onPress={() => app.playback.step(-1)}
          testId="frame-previous"
        />
        <PlayButton isPlaying={isPlaying} isPreparing={isPreparing} />
        <IconButton
          label="Next frame"
          shortcut={key('ArrowRight')}
          icon={<StepForward {...icon} />}
          onPress={() => app.playback.step(1)}
          testId="frame-next"
        />
        <IconButton
          label="Last frame"
          shortcut={key('End')}
          icon={<SkipForward {...icon} />}
          onPress={() => app.playback.step(Infinity)}
          testId="frame-last"
        />
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
        <RateField rate={rate} onChange={(chosen) => app.setPlayback({ rate: chosen })} />
        <Segmented label="At the end" segments={ends} value={atEnd} onChange={(chosen) => app.setPlayback({ atEnd: chosen })} />
        <Segmented
          label="When frames are late"
          segments={paces}
          value={pace}
          onChange={(chosen) => app.setPlayback({ pace: chosen })}
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

function PlayButton({ isPlaying, isPreparing }: { readonly isPlaying: boolean; readonly isPreparing: boolean }) {
  const app = useApp();
  const [label, Icon] = isPreparing
    ? (['Preparing to play: cancel', LoaderCircle] as const)
    : isPlaying
      ? (['Pause', Pause] as const)
      : (['Play', Play] as const);
  return (
    <span className={styles.play} data-busy={isPreparing}>
      <IconButton
        label={label}
        shortcut={showShortcut('Space', app.isMac)}
        icon={<Icon {...icon} {...(!isPreparing && { fill: 'currentColor' })} />}
        onPress={() => app.playback.toggle()}
        testId="play-button"
      />
    </span>
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
