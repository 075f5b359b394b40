import { useEffect, useRef } from 'react';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import { unitsPerLength } from '../viewer/orientation.ts';
import { scaleBar } from '../viewer/scale-bar.ts';
import type { Viewer } from '../viewer/viewer.ts';
import styles from './space-scale.module.css';
import { useViewerPart } from './use-app.ts';

/** The 3D view's scale bar, written straight into the page: it follows the camera. */
export function SpaceScale({ viewer, info }: { readonly viewer: Viewer; readonly info: VolumeInfo }) {
  const place = useRef<HTMLDivElement>(null);
  const camera = useViewerPart(viewer, ({ state }) => state.camera);
  useEffect(() => {
    const units = unitsPerLength(info);
    return viewer.followCamera(({ pixelsPerLength, width }) => {
      const bar = scaleBar(pixelsPerLength / units, Math.min(120, 0.3 * width), info.spatialUnit);
      if (!place.current) return;
      place.current.hidden = bar === undefined || width < 160;
      if (!bar) return;
      place.current.textContent = bar.text;
      place.current.style.width = `${bar.pixels}px`;
    });
  }, [viewer, info]);
  return (
    <div
      ref={place}
      className={styles.bar}
      title={
        camera === 'perspective'
          ? 'True at the depth of the point that the camera turns about; what is nearer looks larger'
          : 'True at any depth'
      }
      data-testid="scale-3d"
      hidden
    />
  );
}
