import { useCallback } from 'react';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { cutDistanceWords } from '../../app/words/cut-words.ts';
import { cutAngles, flippedCut, movedCut, reachOf, turnedCut } from '../../viewer/model/cut-plane.ts';
import { sceneEdges } from '../../viewer/model/orientation.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { Button } from '../controls/button.tsx';
import { Range } from '../controls/range.tsx';
import { Toggle } from '../controls/toggle.tsx';
import { useViewerPart } from '../hooks/use-app.ts';
import styles from './clip-controls.module.css';

interface Props {
  readonly info: VolumeInfo;
  readonly viewer: Viewer;
}

/** The oblique clip plane: a switch, and sliders that do the same as its handles in the 3D view. */
export function CutControls({ info, viewer }: Props) {
  const isOn = useViewerPart(viewer, ({ state }) => state.cut !== undefined);
  return (
    <>
      <Toggle
        label="Oblique clip plane"
        isOn={isOn}
        onChange={(on) => (on ? viewer.cutFacing() : viewer.set({ cut: undefined }))}
        testId="cut"
      />
      {isOn && <CutSliders info={info} viewer={viewer} />}
    </>
  );
}

/** Steps of the distance slider, from one side of the volume to the other. */
const steps = 200;

function CutSliders({ info, viewer }: Props) {
  const { subscribe } = viewer;
  const cut = useCallback(() => viewer.snapshot().state.cut ?? { normal: [0, 0, 1] as const, offset: 0 }, [viewer]);
  const reach = useCallback(() => Math.max(1e-9, reachOf(cut().normal, sceneEdges(info))), [cut, info]);
  const readOffset = useCallback(() => Math.round((cut().offset / reach()) * (steps / 2)), [cut, reach]);
  const readAround = useCallback(() => Math.round(cutAngles(cut()).around), [cut]);
  const readUp = useCallback(() => Math.round(cutAngles(cut()).up), [cut]);
  const offsetWords = useCallback(() => cutDistanceWords(cut(), info), [cut, info]);
  const moveTo = (step: number) => viewer.set({ cut: movedCut(cut(), (step / (steps / 2)) * reach(), sceneEdges(info)) });
  return (
    <>
      <div className={styles.row}>
        <span className={styles.name} title="Distance of the plane from the volume’s centre">
          Distance
        </span>
        <Range
          label="Distance of the oblique clip plane"
          className={styles.slider}
          minimum={-steps / 2}
          maximum={steps / 2}
          step={1}
          read={readOffset}
          subscribe={subscribe}
          words={offsetWords}
          onInput={moveTo}
          testId="cut-distance"
        />
      </div>
      <div className={styles.row}>
        <span className={styles.name} title="Rotation of the plane about the vertical axis">
          Turn
        </span>
        <Range
          label="Turn of the oblique clip plane"
          className={styles.slider}
          minimum={-180}
          maximum={180}
          step={1}
          read={readAround}
          subscribe={subscribe}
          words={degrees}
          onInput={(around) => viewer.set({ cut: turnedCut(cut(), { ...cutAngles(cut()), around }) })}
          testId="cut-turn"
        />
      </div>
      <div className={styles.row}>
        <span className={styles.name} title="Inclination of the plane, up or down">
          Tilt
        </span>
        <Range
          label="Tilt of the oblique clip plane"
          className={styles.slider}
          minimum={-90}
          maximum={90}
          step={1}
          read={readUp}
          subscribe={subscribe}
          words={degrees}
          onInput={(up) => viewer.set({ cut: turnedCut(cut(), { ...cutAngles(cut()), up }) })}
          testId="cut-tilt"
        />
      </div>
      <div className={styles.buttons}>
        <Button onPress={() => viewer.cutFacing()} testId="cut-align">
          Align with view
        </Button>
        <Button onPress={() => viewer.set({ cut: flippedCut(cut()) })} testId="cut-flip">
          Flip
        </Button>
        <Button onPress={() => moveTo(0)} testId="cut-middle">
          To centre
        </Button>
      </div>
    </>
  );
}

function degrees(value: number): string {
  return `${value} degrees`;
}
