import { Download } from 'lucide-react';
import { useState } from 'react';
import { meshFormats } from '../../../core/mesh/mesh-formats.ts';
import { labelledVolume } from '../../app/labels/label-tables.ts';
import type { OpenDocument } from '../../app/state/document-state.ts';
import { openDocument } from '../../app/state/store.ts';
import { toPhysical, toStored } from '../../app/view/window.ts';
import { colormap } from '../../viewer/colors/colormaps.ts';
import { baseId } from '../../viewer/model/layers.ts';
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

/** Asks which surface to show as a layer, or to save as a mesh, and how. */
export function SurfaceDialog({ onDone }: { readonly onDone: () => void }) {
  const { surfaces } = useApp();
  const gpu = useAppState((state) => state.gpu);
  const document = useAppState(openDocument);
  const close = () => {
    surfaces.cancel();
    onDone();
  };
  return (
    <Sheet title="Surface as mesh" onDone={close} testId="surface-dialog">
      {gpu.kind === 'ready' && document && <SurfaceFields document={document} viewer={gpu.viewer} />}
    </Sheet>
  );
}

function SurfaceFields({ document: { info, name }, viewer }: { readonly document: OpenDocument; readonly viewer: Viewer }) {
  const app = useApp();
  const { surfaces } = app;
  const { format, smoothing, label } = useAppState((state) => state.output.surface);
  const work = useAppState((state) => state.output.surfaceWork);
  const level = useViewerPart(viewer, ({ state }) => toPhysical(state.level, info));
  const isBaseLabels = useViewerPart(viewer, ({ state }) => colormap(state.colormap).isCategorical);
  const labelled = useAppState(labelledVolume);
  const labelsName = useAppState(({ layers }) => layers.stack.layers.find(({ id }) => id === labelled)?.name ?? name);
  const [kind, setKind] = useState<'value' | 'label' | 'labels'>(isBaseLabels ? 'label' : 'value');
  const isWorking = work.kind === 'working';
  const isValue = kind === 'value';
  const from = isValue ? baseId : (labelled ?? baseId);
  const { timePoint } = viewer.snapshot().state;
  const kinds = [
    ...(isBaseLabels ? [] : [{ key: 'value' as const, label: 'At a value', testId: 'surface-value' }]),
    ...(isBaseLabels || labelled !== undefined
      ? [
          { key: 'label' as const, label: 'A label', testId: 'surface-label' },
          { key: 'labels' as const, label: 'All shown labels', testId: 'surface-labels' },
        ]
      : []),
  ];
  const show = () => {
    app.store.setState({ overlay: 'none' });
    app.settings.showInspector('layers');
    const surface = isValue ? { level } : kind === 'label' ? { label } : ({ all: 'labels' } as const);
    void app.meshes.adding.addSurfaces({ from, surface, smoothing });
  };
  return (
    <>
      {kinds.length > 1 && (
        <Row label="Surface">
          <Segmented label="Surface" segments={kinds} value={kind} onChange={setKind} />
        </Row>
      )}
      {!isValue && <p className={styles.note}>Labels of {labelsName}</p>}
      <div className={styles.lengths}>
        {kind === 'label' && (
          <NumberInput label="Label" value={label} isWhole onChange={(next) => surfaces.set({ label: next })} />
        )}
        {isValue && (
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
      {from === baseId && kind !== 'labels' && (
        <Row label="File">
          <Segmented label="File" segments={formats} value={format} onChange={(next) => surfaces.set({ format: next })} />
        </Row>
      )}
      {work.kind === 'failed' && <FaultNotice fault={work.fault} doing="saving" />}
      <div className={styles.actions}>
        <p className={styles.note} role="status">
          {isWorking ? 'Extracting…' : 'Closed triangles in world coordinates'}
        </p>
        {isWorking ? (
          <Button onPress={() => surfaces.cancel()}>Cancel</Button>
        ) : (
          <>
            {from === baseId && kind !== 'labels' && (
              <Button
                onPress={() => void surfaces.save(kind === 'label' ? { label } : { level }, timePoint)}
                testId="surface-save"
              >
                <Download size={14} aria-hidden />
                Save…
              </Button>
            )}
            <Button kind="primary" onPress={show} testId="surface-show">
              Show as layer
            </Button>
          </>
        )}
      </div>
    </>
  );
}
