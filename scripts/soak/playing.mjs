import { writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fail, say } from './tally.mjs';

/** Hours of playing in simulated time, with a sleep of the machine each hour: the player's memory stays flat. */
export async function playing({ hours, curve }, { Player }) {
  if (!global.gc) return say('Playing was not simulated: run by `npm run soak`, which gives Node --expose-gc.');
  let now = 0;
  let tick;
  let shown = 0;
  const player = new Player({
    frameCount: 500,
    index: 0,
    settings: { rate: 60, pace: 'hold', atEnd: 'bounce' },
    loop: {
      now: () => now,
      request: (callback) => {
        tick = callback;
        return 1;
      },
      cancel: () => {
        tick = undefined;
      },
    },
    target: {
      showFrame: async () => {
        shown++;
        return { presentedAt: now, decodeMs: 0.5 };
      },
    },
    onFault: (error) => fail(`playing: ${error}`),
  });
  player.play();
  const heaps = [];
  for (let hour = 0; hour < hours; hour++) {
    for (let frame = 0; frame < 60 * 3600; frame++) {
      now += 1000 / 60;
      tick?.(now);
      await undefined;
      // Timers and finished frames.
      if (frame % 500 === 0) await setImmediate();
    }
    // The machine sleeps for three hours: playing goes on with the next frame, and does not catch up.
    const [before, shownBefore] = [player.index, shown];
    now += 3 * 3600 * 1000;
    for (let frame = 0; frame < 3; frame++) {
      tick?.(now);
      await setImmediate();
      now += 1000 / 60;
    }
    const step = Math.abs(player.index - before);
    if (step > 4 || shown - shownBefore > 4) fail(`playing: after a sleep it went from frame ${before} to ${player.index}`);
    if (!player.isPlaying) fail('playing: a sleep ended it');
    global.gc();
    heaps.push(process.memoryUsage().heapUsed);
  }
  player.dispose();
  const grown = (heaps.at(-1) - heaps[0]) / 2 ** 20;
  if (shown < hours * 3600 * 59) fail(`playing: ${shown} frames in ${hours} hours at 60 a second`);
  if (grown > 2) fail(`playing: memory grew by ${grown.toFixed(1)} MiB`);
  if (curve) {
    const rows = heaps.map((heapBytes, at) => ({ hour: at + 1, heapBytes }));
    writeFileSync(curve, `${JSON.stringify({ what: 'playing in simulated time', framesShown: shown, rows }, null, 2)}\n`);
  }
  say(
    `${hours} hours of playing in simulated time, with ${hours} sleeps of three hours: ${shown} frames, memory changed by ` +
      `${grown.toFixed(2)} MiB from the first hour to the last.`,
  );
}
