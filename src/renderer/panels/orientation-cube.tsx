import { useEffect, useRef } from 'react';
import { Button, Toolbar, TooltipTrigger } from 'react-aria-components';
import { cross, type Vector3 } from '../../core/shared/vectors.ts';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import { sideWords } from '../app/sides.ts';
import { type CubeCell, cubeViews, faceFrames } from '../viewer/cube-views.ts';
import { hasOrientation, sceneSides } from '../viewer/orientation.ts';
import type { Viewer } from '../viewer/viewer.ts';
import { Tip } from './controls/button.tsx';
import { classes } from './controls/classes.ts';
import styles from './orientation-cube.module.css';

/** Half of the cube's edge, and how wide the strips along its edges are, in CSS pixels. */
const half = 22;
const strip = 10;

/** A cube that stands as the volume does, and turns it: its sides, edges and corners are buttons. It follows the camera without React. */
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
        const to = (axis: 0 | 1 | 2, sign: 1 | -1) => [sign * right[axis], -sign * up[axis], sign * toEye[axis], 0];
        const matrix = [to(0, 1), to(1, -1), to(2, 1), [0, 0, 0, 1]].flat();
        current.style.transform = `matrix3d(${matrix.map((part) => part.toFixed(5)).join()})`;
      }),
    [viewer],
  );
  return (
    <Toolbar className={classes(styles.stage)} aria-label="Look from a side" data-testid="orientation-cube">
      <div ref={cube} className={styles.cube}>
        {sceneSides.map(({ key }) => (
          <div key={key} className={styles.face} style={placeOf({ face: key, right: 0, down: 0 }, true)} aria-hidden />
        ))}
        {cubeViews.map((view) => {
          const label = sideWords(view.sides, isPatient);
          const [side] = view.sides;
          return (
            <TooltipTrigger key={view.key} delay={500} closeDelay={0}>
              <Button
                className={classes(styles.view)}
                aria-label={label}
                onPress={() => viewer.lookFrom(view.toEye)}
                data-testid={`look-${view.key}`}
              >
                {view.cells.map((cell) => (
                  <span key={cell.face} className={styles.cell} style={placeOf(cell)}>
                    {view.cells.length === 1 && (isPatient ? side?.letter : side?.axis)}
                  </span>
                ))}
              </Button>
              <Tip label={label} />
            </TooltipTrigger>
          );
        })}
      </div>
    </Toolbar>
  );
}

/** Where a part of a face lies on the cube, or all of the face: turned to its side, and as far from the middle. */
function placeOf({ face, right, down }: CubeCell, isWhole = false): { width: number; height: number; transform: string } {
  const { right: x, down: y } = faceFrames[face];
  const out = cross(y, x);
  const size = (at: number): number => (isWhole ? 2 * half : at === 0 ? 2 * (half - strip) : strip);
  const [width, height] = [size(right), size(down)];
  // The scene's y runs up, the page's down. What can be pressed lies a little above its face.
  const column = ([a, b, c]: Vector3): number[] => [a, -b, c, 0];
  const matrix = [column(x), column(y), column(out), [0, 0, 0, 1]].flat();
  const shift = [right * (half - strip / 2), down * (half - strip / 2), half + (isWhole ? 0 : 0.5)];
  const centred = `translate(${half - width / 2}px, ${half - height / 2}px)`;
  return {
    width,
    height,
    transform: `${centred} matrix3d(${matrix.join()}) translate3d(${shift.map((by) => `${by}px`).join()})`,
  };
}
