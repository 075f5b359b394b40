import { useCallback } from 'react';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { ofCount } from '../../app/words/counting.ts';
import { type ClipPlane, clipAt, isClipped, unclipped, withClip } from '../../viewer/model/clip.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { Button } from '../controls/button.tsx';
import { Range } from '../controls/range.tsx';
import { Toggle } from '../controls/toggle.tsx';
import { useApp, useAppState, useViewerPart } from '../hooks/use-app.ts';
import styles from './clip-controls.module.css';
import { CutControls } from './cut-controls.tsx';

interface Props {
  readonly info: VolumeInfo;
  readonly viewer: Viewer;
}

const planes = (['x', 'y', 'z'] as const).map((name, axis) => ({ name, axis: axis as ClipPlane['axis'] }));

/** The clip planes of the 3D view: two for each axis, and an oblique one. */
export function ClipControls({ info, viewer }: Props) {
  const app = useApp();
  const hasHandles = useAppState((state) => state.clipHandles);
  const isCut = useViewerPart(viewer, ({ state }) => isClipped(state.clip));
  return (
    <fieldset className={styles.clip}>
      <legend className={styles.legend}>Clip planes, from and to</legend>
      {planes.map(({ name, axis }) => (
        <div key={name} className={styles.row} data-axis={name}>
          <b>{name}</b>
          <PlaneSlider info={info} viewer={viewer} plane={{ axis, end: 'from' }} />
          <PlaneSlider info={info} viewer={viewer} plane={{ axis, end: 'to' }} />
        </div>
      ))}
      <Toggle
        label="Clip handles in 3D"
        isOn={hasHandles}
        onChange={(isOn) => app.view.showClipHandles(isOn)}
        testId="clip-handles"
      />
      {isCut && (
        <Button onPress={() => viewer.set({ clip: unclipped })} testId="clip-reset">
          Reset clip planes
        </Button>
      )}
      <CutControls info={info} viewer={viewer} />
    </fieldset>
  );
}

function PlaneSlider({ info, viewer, plane: { axis, end } }: Props & { readonly plane: ClipPlane }) {
  const voxels = info.dims[axis];
  const name = 'xyz'[axis];
  const read = useCallback(() => clipAt(viewer.snapshot().state.clip, { axis, end }, voxels), [viewer, axis, end, voxels]);
  const words = useCallback((voxel: number) => ofCount(voxel, voxels), [voxels]);
  return (
    <Range
      label={`Clip ${name} ${end}`}
      className={styles.slider}
      minimum={0}
      maximum={voxels - 1}
      step={1}
      read={read}
      words={words}
      subscribe={viewer.subscribe}
      onInput={(voxel) => viewer.set({ clip: withClip(viewer.snapshot().state.clip, { axis, end }, voxel, voxels) })}
      testId={`clip-${name}-${end}`}
    />
  );
}
