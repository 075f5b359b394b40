import { useEffect, useRef } from 'react';
import { Button, Toolbar, TooltipTrigger } from 'react-aria-components';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import { sideWords } from '../app/sides.ts';
import { hasOrientation, type SceneSide, sceneSides } from '../viewer/orientation.ts';
import type { Viewer } from '../viewer/viewer.ts';
import { Tip } from './controls/button.tsx';
import { classes } from './controls/classes.ts';
import styles from './orientation-cube.module.css';

/** Half of the cube's edge, in CSS pixels. */
const half = 17;
/** How a face that looks at the reader is turned to its side of the cube. Its letter stands upright when that side is in front. */
const turns: Readonly<Record<SceneSide['key'], string>> = {
  front: '',
  back: 'rotateY(180deg)',
  right: 'rotateY(-90deg)',
  left: 'rotateY(90deg)',
  above: 'rotateX(90deg)',
  below: 'rotateX(-90deg)',
};

/** A cube that stands as the volume does, and turns it: each of its sides is a button. It follows the camera without React. */
export function OrientationCube({ viewer, info }: { readonly viewer: Viewer; readonly info: VolumeInfo }) {
  const cube = useRef<HTMLDivElement>(null);
  const isPatient = hasOrientation(info);
  useEffect(
    () =>
      viewer.followCamera(({ right, up, toEye, width, height }) => {
        const { current } = cube;
        if (!current) return;
        if (current.parentElement) current.parentElement.hidden = Math.min(width, height) < 160;
        // From the scene to the page, whose y runs down: columns are where x, y and z of the cube go.
        const down = (axis: 0 | 1 | 2, sign: 1 | -1) => [sign * right[axis], -sign * up[axis], sign * toEye[axis], 0];
        const matrix = [down(0, 1), down(1, -1), down(2, 1), [0, 0, 0, 1]].flat();
        current.style.transform = `matrix3d(${matrix.map((part) => part.toFixed(5)).join()})`;
      }),
    [viewer],
  );
  return (
    <Toolbar className={classes(styles.stage)} aria-label="Look from a side" data-testid="orientation-cube">
      <div ref={cube} className={styles.cube}>
        {sceneSides.map((side) => (
          <TooltipTrigger key={side.key} delay={500} closeDelay={0}>
            <Button
              className={classes(styles.face)}
              style={{ transform: `${turns[side.key]} translateZ(${half}px)` }}
              aria-label={sideWords(side, isPatient)}
              onPress={() => viewer.lookFrom(side.toEye)}
              data-testid={`look-${side.key}`}
            >
              {isPatient ? side.letter : side.axis}
            </Button>
            <Tip label={sideWords(side, isPatient)} />
          </TooltipTrigger>
        ))}
      </div>
    </Toolbar>
  );
}
