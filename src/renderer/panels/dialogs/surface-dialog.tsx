import { Download } from 'lucide-react';
import { meshFormats } from '../../../core/mesh/mesh-formats.ts';
import type { OpenDocument } from '../../app/state/document-state.ts';
import { openDocument } from '../../app/state/store.ts';
import { toPhysical, toStored } from '../../app/view/window.ts';
import { colormap } from '../../viewer/colors/colormaps.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { Button } from '../controls/button.tsx';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { NumberInput } from '../controls/number-input.tsx';
import { Row } from '../controls/row.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { useApp, useAppState, useViewerPart } from '../hooks/use-app.ts';
import styles from './picture-dialog.module.css';
import { Sheet } from './sheet.tsx';

const formats = meshFormats.map((key) => ({ key, label: key.toUpperCase() }));
const mostSmoothing = 200;

/** Asks which surface to save as a mesh, and how. */
export function SurfaceDialog({ onDone }: { readonly onDone: () => void }) {
  const { surfaces } = useApp();
  const gpu = useAppState((state) => state.gpu);
  const document = useAppState(openDocument);
  const close = () => {
    surfaces.cancel();
    onDone();
  };
  return (
    <Sheet title="Save surface as mesh" onDone={close} testId="surface-dialog">
      {gpu.kind === 'ready' && document && <SurfaceFields document={document} viewer={gpu.viewer} />}
    </Sheet>
  );
}

function SurfaceFields({ document: { info }, viewer }: { readonly document: OpenDocument; readonly viewer: Viewer }) {
  const { surfaces } = useApp();
  const { format, smoothing, label } = useAppState((state) => state.output.surface);
  const work = useAppState((state) => state.output.surfaceWork);
  const level = useViewerPart(viewer, ({ state }) => toPhysical(state.level, info));
  const { isCategorical } = useViewerPart(viewer, ({ state }) => colormap(state.colormap));
  const isWorking = work.kind === 'working';
  const save = () => {
    const { timePoint } = viewer.snapshot().state;
    void surfaces.save(isCategorical ? { label } : { level }, timePoint);
  };
  return (
    <>
      <div className={styles.lengths}>
        {isCategorical ? (
          <NumberInput label="Label" value={label} isWhole onChange={(next) => surfaces.set({ label: next })} />
        ) : (
          <NumberInput
            label="Isosurface level"
            value={level}
            digits={7}
            onChange={(next) => {
              viewer.set({ level: toStored(next, info) });
              surfaces.set({});
            }}
          />
        )}
        <NumberInput
          label="Rounds of smoothing"
          value={smoothing}
          minimum={0}
          maximum={mostSmoothing}
          isWhole
          onChange={(next) => surfaces.set({ smoothing: next })}
        />
      </div>
      <Row label="File">
        <Segmented label="File" segments={formats} value={format} onChange={(next) => surfaces.set({ format: next })} />
      </Row>
      {work.kind === 'failed' && <FaultNotice fault={work.fault} doing="saving" />}
      <div className={styles.actions}>
        <p className={styles.note} role="status">
          {isWorking ? 'Extracting…' : 'Closed triangles in world coordinates'}
        </p>
        {isWorking ? (
          <Button onPress={() => surfaces.cancel()}>Cancel</Button>
        ) : (
          <Button kind="primary" onPress={save} testId="surface-save">
            <Download size={14} aria-hidden />
            Save…
          </Button>
        )}
      </div>
    </>
  );
}
