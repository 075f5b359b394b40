import { CircleDashed, Ruler, SquareDashed, Trash2, TriangleRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { measurementLines } from '../../app/measure/measurement-words.ts';
import type { OpenDocument } from '../../app/state/document-state.ts';
import { regionKey } from '../../app/state/regions.ts';
import { numberOf, timePlace } from '../../app/words/counting.ts';
import { formatNumber } from '../../app/words/units.ts';
import { kindNames, type Measurement, type MeasurementKind, sliceOf } from '../../viewer/model/measure.ts';
import { IconButton } from '../controls/button.tsx';
import { classes } from '../controls/classes.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { NameInput } from '../controls/name-input.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './measurements-section.module.css';
import { ProfilePlot } from './profile-plot.tsx';
import { TimeCurvePlot } from './time-curve-plot.tsx';

const icons: Readonly<Record<MeasurementKind, ReactNode>> = {
  distance: <Ruler size={16} aria-hidden />,
  angle: <TriangleRight size={16} aria-hidden />,
  rectangle: <SquareDashed size={16} aria-hidden />,
  sphere: <CircleDashed size={16} aria-hidden />,
};

/** The measurements of the open volume, and the curve over time at the crosshair: go to, rename, delete, export. */
export function MeasurementsSection({ document }: { readonly document: OpenDocument }) {
  const measurements = useAppState((state) => state.measurements);
  const profile = useAppState((state) => state.profile);
  const profileFault = useAppState((state) => state.profileFault);
  const curve = useAppState((state) => state.timeCurve);
  const curveFault = useAppState((state) => state.timeCurveFault);
  const curvePlot = (
    <>
      {curveFault && <FaultNotice fault={curveFault} subject="Curve over time" advice="To try again, move the crosshair." />}
      {curve && <TimeCurvePlot curve={curve} />}
    </>
  );
  if (measurements.length === 0) {
    return (
      <>
        <p className={styles.hint}>
          No measurements yet. Press <kbd>M</kbd> and drag on a slice.
        </p>
        {curvePlot}
      </>
    );
  }
  return (
    <>
      <ul className={styles.list} data-testid="measurements">
        {measurements.map((measurement) => (
          <Row key={measurement.id} measurement={measurement} document={document} />
        ))}
      </ul>
      {profileFault && <FaultNotice fault={profileFault} subject="Profile" advice="To try again, move an end of the line." />}
      {profile && <ProfilePlot profile={profile} info={document.info} />}
      <div className={styles.actions}>
        <CommandButton id="export-measurements" testId="export-measurements" />
        <CommandButton id="copy-measurements" kind="quiet" />
      </div>
      {curvePlot}
    </>
  );
}

function degrees(value: number): string {
  return `${formatNumber(value)}°`;
}

function Row({ measurement, document }: { readonly measurement: Measurement; readonly document: OpenDocument }) {
  const app = useApp();
  const isChosen = useAppState((state) => state.chosenMeasurement === measurement.id);
  const found = useAppState((state) => state.regions[regionKey(measurement)]);
  const { id, kind, name, axis, oblique, timePoint } = measurement;
  const [value, ...more] = measurementLines(measurement, document.info, found);
  const slice = oblique
    ? `oblique slice, turn ${degrees(oblique.turn)}, tilt ${degrees(oblique.tilt)}`
    : `slice ${axis} ${numberOf(sliceOf(measurement))}`;
  const place = [slice, timePlace(document.info, timePoint)].filter(Boolean).join(', ');
  return (
    <li className={styles.row} data-chosen={isChosen || undefined}>
      <AriaButton
        className={classes(styles.jump)}
        aria-label={`Go to ${name}: ${kindNames[kind].toLowerCase()}, ${place}`}
        aria-pressed={isChosen}
        onPress={() => app.measuring.jumpTo(id)}
      >
        {icons[kind]}
      </AriaButton>
      <div className={styles.words}>
        <div className={styles.first}>
          <NameInput name={name} onRename={(next) => app.measuring.rename(id, next)} className={styles.name} />
          <span className={styles.value}>{value}</span>
        </div>
        {more.map((line) => (
          <span key={line} className={styles.more}>
            {line}
          </span>
        ))}
        <span className={styles.more}>{place}</span>
      </div>
      <IconButton label={`Delete ${name}`} icon={<Trash2 size={14} aria-hidden />} onPress={() => app.measuring.remove(id)} />
    </li>
  );
}
