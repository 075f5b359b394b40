import { Presets, SingleBar } from 'cli-progress';
import type { Progress } from '../../core/shared/job.ts';
import { progressTexts } from './progress-texts.ts';

/** A bar on stderr that shows the amount done, the rate and the time left. */
export function startBar(label: string): { show: (progress: Progress) => void; stop: () => void } {
  const texts = progressTexts(performance.now());
  const bar = new SingleBar(
    {
      format: '{label}  {stage} {bar} {percentage} %  {amount}  {rate}  {left}',
      clearOnComplete: true,
      hideCursor: true,
      fps: 10,
    },
    Presets.shades_classic,
  );
  bar.start(1, 0, { label, stage: '', amount: '', rate: '', left: '' });
  return {
    show: (progress) => {
      const { done, total } = progress;
      bar.setTotal(Math.max(1, total ?? done));
      bar.update(Math.min(done, total ?? done), texts(progress, performance.now()));
    },
    stop: () => bar.stop(),
  };
}
