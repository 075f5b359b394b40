import { Presets, SingleBar } from 'cli-progress';
import type { Progress } from '../../core/shared/job.ts';
import { formatBytes, formatDuration, formatRate } from './text.ts';

/** A bar on stderr that shows the amount done, the rate and the time left. */
export function startBar(label: string): { show: (progress: Progress) => void; stop: () => void } {
  const startMs = performance.now();
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
    show: ({ stage, done, total }) => {
      const elapsedMs = performance.now() - startMs;
      const bytesPerMs = done / Math.max(1, elapsedMs);
      const leftMs = total !== undefined && bytesPerMs > 0 ? (total - done) / bytesPerMs : undefined;
      bar.setTotal(Math.max(1, total ?? done));
      bar.update(Math.min(done, total ?? done), {
        stage,
        amount: total === undefined ? formatBytes(done) : `${formatBytes(done)} of ${formatBytes(total)}`,
        rate: formatRate(bytesPerMs * 1000),
        left: leftMs === undefined ? '' : `${formatDuration(leftMs)} left`,
      });
    },
    stop: () => bar.stop(),
  };
}
