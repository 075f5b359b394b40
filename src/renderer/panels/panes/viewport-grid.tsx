import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { shows3d } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { useAppState } from '../hooks/use-app.ts';
import { ObliquePane } from './oblique-pane.tsx';
import { Readout } from './readout.tsx';
import styles from './viewport-grid.module.css';
import { SlicePane, VolumePane } from './viewport-pane.tsx';

/** The viewports of one viewer (in a comparison there are two). All stay mounted, so that no canvas is created twice; the layout hides some. */
export function ViewportGrid({
  viewer,
  info,
  isSecond = false,
}: {
  readonly viewer: Viewer;
  readonly info: VolumeInfo;
  readonly isSecond?: boolean;
}) {
  const layout = useAppState((state) => state.settings.layout);
  const sliceAxis = useAppState((state) => state.sliceAxis);
  const showsSlice = (axis: string) =>
    layout === 'quad' || layout === 'slices' || layout === 'oblique' || (layout === 'slice' && axis === sliceAxis);
  return (
    <div className={styles.grid} data-layout={layout}>
      <VolumePane viewer={viewer} info={info} isShown={shows3d(layout)} isSecond={isSecond} />
      <ObliquePane viewer={viewer} isShown={layout === 'oblique'} isSecond={isSecond} />
      {(['z', 'y', 'x'] as const).map((axis) => (
        <SlicePane key={axis} viewer={viewer} info={info} axis={axis} isShown={showsSlice(axis)} isSecond={isSecond} />
      ))}
      <Readout viewer={viewer} isSecond={isSecond} />
    </div>
  );
}
