import { mkdirSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { Player } from './player.ts';

/** The number of simulated minutes. `npm run soak -- playing` sets hours. */
const minutes = Number(process.env.STRIA_SOAK_MINUTES ?? 5);
const framesPerMinute = 60 * 60;
const frameMs = 1000 / 60;
const sleepMs = 3 * 3600 * 1000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A player on a simulated 60 Hz screen, whose target shows each frame at once. */
class Simulation {
  shown = 0;
  readonly faults: unknown[] = [];
  readonly player: Player;
  #now = 0;
  #tick: ((now: number) => void) | undefined;

  constructor() {
    this.player = new Player({
      frameCount: 500,
      index: 0,
      settings: { rate: 60, pace: 'hold', atEnd: 'bounce' },
      loop: {
        now: () => this.#now,
        request: (callback) => {
          this.#tick = callback;
          return 1;
        },
        cancel: () => {
          this.#tick = undefined;
        },
      },
      target: {
        showFrame: async () => {
          this.shown++;
          return { presentedAt: this.#now, decodeMs: 0.5 };
        },
      },
      onFault: (error) => this.faults.push(error),
    });
    this.player.play();
  }

  async frame(): Promise<void> {
    this.#now += frameMs;
    this.#tick?.(this.#now);
    await undefined;
  }

  /** Lets the clock continue without frames. */
  sleep(): void {
    this.#now += sleepMs;
  }
}

/** The size of the heap after garbage collection, in bytes. */
async function heapBytes(): Promise<number> {
  await setImmediate();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('memory stays flat during playback, and after the machine sleeps playback continues with the next frame', async () => {
  const simulation = new Simulation();
  const { player } = simulation;
  const heaps: number[] = [];
  // The machine sleeps once an hour, or five times in a shorter run.
  const minutesAwake = Math.min(60, minutes / 5);
  for (let minute = 0; minute < minutes; minute += minutesAwake) {
    for (let frame = 0; frame < minutesAwake * framesPerMinute; frame++) {
      await simulation.frame();
      // Lets timers and finished frames run.
      if (frame % 500 === 0) await setImmediate();
    }
    const { index } = player;
    const { shown } = simulation;
    simulation.sleep();
    for (let frame = 0; frame < 3; frame++) {
      await simulation.frame();
      await setImmediate();
    }
    expect(Math.abs(player.index - index), 'it does not catch up').toBeLessThanOrEqual(4);
    expect(simulation.shown - shown, 'frames after a sleep').toBeLessThanOrEqual(4);
    expect(player.isPlaying).toBe(true);
    heaps.push(await heapBytes());
  }
  player.dispose();
  expect(simulation.faults).toEqual([]);
  expect(simulation.shown, 'nearly all frames').toBeGreaterThan(0.98 * minutes * framesPerMinute);
  expect(((heaps.at(-1) as number) - (heaps[0] as number)) / 2 ** 20, 'MiB more than at first').toBeLessThan(2);
  if (process.env.STRIA_SOAK_MINUTES) {
    mkdirSync('out/soak', { recursive: true });
    writeFileSync('out/soak/playing.json', JSON.stringify({ shown: simulation.shown, heaps }));
  }
}, 600_000);
