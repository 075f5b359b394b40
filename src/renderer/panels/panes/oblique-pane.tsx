import { useCallback, useEffect, useRef } from 'react';
import type { ObliqueTilt } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { Range } from '../controls/range.tsx';
import { AlignHandles } from './align-handles.tsx';
import styles from './oblique-pane.module.css';
import paneStyles from './viewport-pane.module.css';
import { Canvas, FaultLabel, FitButton } from './viewport-pane.tsx';

const angles = [
  { name: 'turn', label: 'Turn', title: 'Rotation about the vertical axis of this view', most: 180 },
  { name: 'tilt', label: 'Tilt', title: 'Rotation about the horizontal axis of this view', most: 90 },
] as const;

export interface ObliquePaneProps {
  readonly viewer: Viewer;
  readonly isShown: boolean;
  readonly isSecond: boolean;
}

/** An oblique slice through the crosshair, with sliders for its two angles. */
export function ObliquePane({ viewer, isShown, isSecond }: ObliquePaneProps) {
  return (
    <section
      className={paneStyles.pane}
      data-view="oblique"
      hidden={!isShown}
      aria-label={isSecond ? 'Oblique slice of the second volume' : 'Oblique slice'}
    >
      <Canvas
        viewer={viewer}
        view="oblique"
        isSecond={isSecond}
        label="Oblique slice through the crosshair. Scroll to move along its normal; Turn and Tilt set its angles."
      />
      {!isSecond && <AlignHandles viewer={viewer} view="oblique" />}
      <div className={paneStyles.label}>
        oblique <span>through the crosshair</span>
      </div>
      <FaultLabel viewer={viewer} view="oblique" />
      <FitButton viewer={viewer} view="oblique" />
      <div className={`${paneStyles.strip} ${styles.angles}`}>
        {angles.map((angle) => (
          <Angle key={angle.name} viewer={viewer} isSecond={isSecond} {...angle} />
        ))}
      </div>
    </section>
  );
}

interface AngleProps {
  readonly viewer: Viewer;
  readonly isSecond: boolean;
  readonly name: keyof ObliqueTilt;
  readonly label: string;
  readonly title: string;
  /** Largest angle in both directions, in degrees. */
  readonly most: number;
}

function Angle({ viewer, isSecond, name, label, title, most }: AngleProps) {
  const place = useRef<HTMLSpanElement>(null);
  // Written straight to the DOM, since it changes at pointer rate.
  useEffect(() => {
    const show = () => {
      const degrees = viewer.snapshot().state.oblique[name];
      if (place.current) place.current.textContent = `${degrees < 0 ? `−${-degrees}` : degrees}°`;
    };
    show();
    return viewer.subscribe(show);
  }, [viewer, name]);
  const read = useCallback(() => viewer.snapshot().state.oblique[name], [viewer, name]);
  return (
    <div className={styles.angle}>
      <span className={styles.name} title={title}>
        {label}
      </span>
      <Range
        label={`${label} of the oblique slice`}
        minimum={-most}
        maximum={most}
        step={1}
        read={read}
        subscribe={viewer.subscribe}
        words={degreesInWords}
        onInput={(value) => viewer.set({ oblique: { ...viewer.snapshot().state.oblique, [name]: value } })}
        testId={`${isSecond ? 'second-' : ''}oblique-${name}`}
      />
      <span ref={place} className={styles.degrees} />
    </div>
  );
}

function degreesInWords(value: number): string {
  return `${value} degrees`;
}
