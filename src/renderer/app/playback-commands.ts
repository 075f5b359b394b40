import type { ClockSettings } from '../playback/frame-clock.ts';
import type { App } from './app.ts';
import type { Command } from './command.ts';
import type { AppState } from './state/store.ts';
import { canPlay, isPlayerOpen } from './when.ts';

export function playbackCommands(app: App): Command[] {
  const goTo = (id: string, by: number, shortcut: string, label: string): Command => ({
    id,
    label,
    group: 'Playback',
    shortcut,
    enabled: isPlayerOpen,
    run: () => app.playback.step(by),
  });
  const playAs = (id: string, change: Partial<ClockSettings>, label: string, words: string = label): Command => ({
    id,
    label,
    words,
    group: 'Playback',
    enabled: isPlayerOpen,
    run: () => app.playback.set(change),
  });
  return [
    {
      id: 'play',
      label: 'Play or pause',
      tip: playTip,
      group: 'Playback',
      shortcut: 'Space',
      enabled: canPlay,
      run: () => app.playback.toggle(),
    },
    goTo('frame-previous', -1, 'ArrowLeft', 'Previous frame'),
    goTo('frame-next', 1, 'ArrowRight', 'Next frame'),
    goTo('frame-first', -Infinity, 'Home', 'First frame'),
    goTo('frame-last', Infinity, 'End', 'Last frame'),
    playAs('play-loop', { atEnd: 'loop' }, 'Play in a loop'),
    playAs('play-bounce', { atEnd: 'bounce' }, 'Play back and forth'),
    playAs('play-once', { atEnd: 'once' }, 'Play once'),
    playAs('play-hold', { pace: 'hold' }, 'Keep the frame rate, dropping late frames', 'Hold'),
    playAs('play-every', { pace: 'every' }, 'Show every frame, slowing down if needed', 'Every'),
  ];
}

function playTip({ playback }: AppState): string {
  if (playback?.isPreparing) return 'Preparing to play: cancel';
  return playback?.player.snapshot().isPlaying ? 'Pause' : 'Play';
}
