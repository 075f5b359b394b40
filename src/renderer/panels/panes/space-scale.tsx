import { useEffect, useRef } from 'react';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { unitsPerLength } from '../../viewer/model/orientation.ts';
import { scaleBar } from '../../viewer/model/scale-bar.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { useViewerPart } from '../hooks/use-app.ts';
import styles from './space-scale.module.css';

/** The 3D view's scale bar. Written straight to the DOM, since it follows the camera. */
export function SpaceScale({ viewer, info }: { readonly viewer: Viewer; readonly info: VolumeInfo }) {
  const place = useRef<HTMLDivElement>(null);
  const camera = useViewerPart(viewer, ({ state }) => state.camera);
  useEffect(() => {
    const units = unitsPerLength(info);
    return viewer.loop.followCamera(({ pixelsPerLength, width: viewWidth }) => {
      const bar = scaleBar(pixelsPerLength / units, Math.min(120, 0.3 * viewWidth), info.spatialUnit);
      if (!place.current) return;
      place.current.hidden = bar === undefined || viewWidth < 160;
      if (!bar) return;
      // Rotation does not change the text, and setting even the same text would cause a layout.
      const width = `${bar.pixels}px`;
      if (place.current.textContent !== bar.text) place.current.textContent = bar.text;
      if (place.current.style.width !== width) place.current.style.width = width;
    });
  }, [viewer, info]);
  return (
    <div
      ref={place}
      className={styles.bar}
      title={camera === 'perspective' ? 'True at the depth of the rotation centre; near things look larger' : 'True at any depth'}
      data-testid="scale-3d"
      hidden
    />
  );
}
