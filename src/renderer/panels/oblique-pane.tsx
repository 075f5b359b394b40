import { useCallback } from 'react';
import type { Viewer } from '../viewer/viewer.ts';
import type { ObliqueTilt } from '../viewer/viewer-api.ts';
import { Button } from './controls/button.tsx';
import { Range } from './controls/range.tsx';
import styles from './oblique-pane.module.css';
import { useApp, useAppState, useViewerPart } from './use-app.ts';
import paneStyles from './viewport-pane.module.css';
import { Canvas } from './viewport-pane.tsx';

const angles = [
  { name: 'turn', label: 'Turn', title: 'About the vertical axis of this picture' },
  { name: 'tilt', label: 'Tilt', title: 'About the horizontal axis of this picture' },
] as const;

export interface ObliquePaneProps {
  readonly viewer: Viewer;
  readonly isShown: boolean;
  readonly isSecond: boolean;
}

/** The slice at any angle through the crosshair, with its two angles. */
export function ObliquePane({ viewer, isShown, isSecond }: ObliquePaneProps) {
  const app = useApp();
  const residency = useAppState((state) => state.residency);
  const isMissing = isShown && !isSecond && residency?.kept === 'compressed' && app.kept?.holdsTimePoints === false;
  return (
    <section
      className={paneStyles.pane}
      hidden={!isShown}
      aria-label={isSecond ? 'Oblique slice of the second volume' : 'Oblique slice'}
    >
      <Canvas
        viewer={viewer}
        view="oblique"
        isSecond={isSecond}
        label="Oblique slice through the crosshair. The wheel moves along its normal, Turn and Tilt change its angles."
      />
      <div className={paneStyles.label}>
        oblique <span>through the crosshair</span>
      </div>
      {isMissing && (
        <div className={styles.missing}>
          <p>An oblique slice needs the voxels in GPU memory; this volume is kept compressed there.</p>
          {residency.canBeRaw && <Button onPress={() => void app.setResidency('raw')}>Keep as voxels</Button>}
        </div>
      )}
      <div className={paneStyles.strip}>
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
}

function Angle({ viewer, isSecond, name, label, title }: AngleProps) {
  const degrees = useViewerPart(viewer, ({ state }) => state.oblique[name]);
  const read = useCallback(() => viewer.snapshot().state.oblique[name], [viewer, name]);
  return (
    <>
      <span title={title}>{label}</span>
      <Range
        label={`${label} of the oblique slice`}
        minimum={-90}
        maximum={90}
        step={1}
        read={read}
        subscribe={viewer.subscribe}
        words={degreesInWords}
        onInput={(value) => viewer.set({ oblique: { ...viewer.snapshot().state.oblique, [name]: value } })}
        testId={`${isSecond ? 'second-' : ''}oblique-${name}`}
      />
      <span className={styles.degrees}>{degrees < 0 ? `−${-degrees}` : degrees}°</span>
    </>
  );
}

function degreesInWords(value: number): string {
  return `${value} degrees`;
}
