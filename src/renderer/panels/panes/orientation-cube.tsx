import { type CSSProperties, useEffect, useRef } from 'react';
import { Button, Toolbar, TooltipTrigger } from 'react-aria-components';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { sideWords } from '../../app/sides.ts';
import { type CubeCell, cubeViews, type ShownFace, shownFace } from '../../viewer/model/cube-views.ts';
import { hasOrientation, sceneSides } from '../../viewer/model/orientation.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { Tip } from '../controls/button.tsx';
import { classes } from '../controls/classes.ts';
import styles from './orientation-cube.module.css';

/** Half the cube's edge, and the width of the strips along its edges, in CSS pixels. */
const half = 22;
const strip = 10;
/** The buttons are placed once the camera has rested this long, in milliseconds. */
const restMs = 100;

/**
 * A cube that shows the volume's orientation. Its faces, edges and corners are buttons that turn the view. It follows the camera
 * without React. Its picture is redrawn in every frame; the buttons over it move once the camera rests, since moving them takes
 * longer than a frame.
 */
export function OrientationCube({ viewer, info }: { readonly viewer: Viewer; readonly info: VolumeInfo }) {
  const cube = useRef<HTMLDivElement>(null);
  const isPatient = hasOrientation(info);
  useEffect(() => {
    let rest: ReturnType<typeof setTimeout> | undefined;
    const end = viewer.loop.followCamera((camera) => {
      const stage = cube.current?.parentElement;
      if (!stage) return;
      stage.hidden = Math.min(camera.width, camera.height) < 160;
      const faces = sceneSides.map(({ key }) => ({ key, ...shownFace(key, camera) }));
      for (const [index, face] of faces.entries()) {
        for (const layer of [stage.firstElementChild, stage.lastElementChild]) {
          const element = layer?.children[index];
          if (!(element instanceof HTMLElement)) continue;
          element.style.visibility = face.isSeen ? 'inherit' : 'hidden';
          element.style.transform = matrixOf(face);
        }
      }
      clearTimeout(rest);
      rest = setTimeout(() => {
        for (const face of faces) {
          const { style } = cube.current ?? {};
          style?.setProperty(`--${face.key}`, matrixOf(face));
          if (face.isSeen) style?.removeProperty(`--${face.key}-seen`);
          else style?.setProperty(`--${face.key}-seen`, 'hidden');
        }
      }, restMs);
    });
    return () => {
      clearTimeout(rest);
      end();
    };
  }, [viewer]);
  return (
    <Toolbar className={classes(styles.stage)} aria-label="View from a side" data-testid="orientation-cube">
      <div className={styles.picture} aria-hidden>
        {sceneSides.map(({ key }) => (
          <div key={key} className={styles.face} />
        ))}
      </div>
      <div ref={cube} className={styles.cube}>
        {cubeViews.map((view) => {
          const label = sideWords(view.sides, isPatient);
          return (
            <TooltipTrigger key={view.key} delay={500} closeDelay={0}>
              <Button
                className={classes(styles.view)}
                aria-label={label}
                onPress={() => viewer.views.lookFrom(view.toEye)}
                data-testid={`look-${view.key}`}
              >
                {view.cells.map((cell) => (
                  <span key={cell.face} className={styles.cell} style={placeOf(cell)} />
                ))}
              </Button>
              <Tip label={label} />
            </TooltipTrigger>
          );
        })}
      </div>
      <div className={styles.picture} aria-hidden>
        {sceneSides.map(({ key, letter, axis }) => (
          <div key={key} className={styles.letter}>
            {isPatient ? letter : axis}
          </div>
        ))}
      </div>
    </Toolbar>
  );
}

function matrixOf({ right, down, out }: ShownFace): string {
  return `matrix(${[...right, ...down, half * out[0], half * out[1]].map((part) => part.toFixed(4)).join()})`;
}

/** Position of a part of a face. */
function placeOf({ face, right, down }: CubeCell): CSSProperties {
  const size = (at: number): number => (at === 0 ? 2 * (half - strip) : strip);
  const [width, height] = [size(right), size(down)];
  const shift = [right, down].map((at) => `${at * (half - strip / 2)}px`);
  const centred = `translate(${half - width / 2}px, ${half - height / 2}px)`;
  return {
    width,
    height,
    visibility: `var(--${face}-seen, inherit)` as 'inherit',
    transform: `${centred} var(--${face}) translate(${shift.join()})`,
  };
}
