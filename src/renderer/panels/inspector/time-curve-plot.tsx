import { Pin } from 'lucide-react';
import { useMemo } from 'react';
import { curvePlace } from '../../app/measure/time-curves.ts';
import type { TimeCurve } from '../../app/state/time-curve-state.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import { type SeriesLine, SeriesPlot } from './profile-plot.tsx';
import styles from './time-curve-plot.module.css';

/** The curve over time at the crosshair or in the chosen region, together with the pinned curves. */
export function TimeCurvePlot({ curve }: { readonly curve: TimeCurve }) {
  const app = useApp();
  const pinned = useAppState((state) => state.pinnedCurves);
  const lines = useMemo(() => {
    if (pinned.length === 0) return curve.series.map((one, index) => lineOf(curve, index, index, 0, one.name));
    const all = [{ ...curve, slot: 0 }, ...pinned];
    return all.flatMap((shown) =>
      shown.series.map(({ name }, index): SeriesLine => {
        const place = curvePlace(shown);
        const line = lineOf(shown, index, shown.slot, index, shown.series.length > 1 ? `${place} · ${name}` : place);
        const remove = { label: `Remove the curve at ${place}`, run: () => app.timeCurves.unpin(shown.slot) };
        return shown.slot > 0 && index === 0 ? { ...line, remove } : line;
      }),
    );
  }, [app, curve, pinned]);
  const xs = useMemo(
    () => pinned.reduce((longest, { times }) => (times.length > longest.length ? times : longest), curve.times),
    [curve, pinned],
  );
  return (
    <SeriesPlot
      title={curve.region === undefined ? `Curve over time at ${curvePlace(curve)}` : `Mean of ${curve.region} over time`}
      xs={xs}
      xLabel={curve.unit === undefined ? 'Time point' : `Time, ${curve.unit}`}
      lines={lines}
      testId="time-curve"
    >
      <div className={styles.actions}>
        <CommandButton id="pin-time-curve" kind="quiet" testId="pin-time-curve" icon={<Pin size={14} aria-hidden />} />
        <CommandButton id="export-time-curve" kind="quiet" testId="export-time-curve" />
        {pinned.length > 1 && <CommandButton id="unpin-time-curves" kind="quiet" />}
      </div>
    </SeriesPlot>
  );
}

/** Lines of the same volume share a scale. */
function lineOf({ series }: TimeCurve, index: number, color: number, dash: number, name: string): SeriesLine {
  const { volume, ...one } = series[index] as TimeCurve['series'][number];
  return { ...one, name, scale: volume, color, dash };
}
