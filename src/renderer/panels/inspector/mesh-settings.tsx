import { Download } from 'lucide-react';
import { useCallback } from 'react';
import { meshFormats } from '../../../core/mesh/mesh-formats.ts';
import type { AppState } from '../../app/state/store.ts';
import { formatCount } from '../../app/words/units.ts';
import type { MeshLook } from '../../viewer/model/layers.ts';
import { Button } from '../controls/button.tsx';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { NameInput } from '../controls/name-input.tsx';
import { Progress } from '../controls/progress.tsx';
import { Row } from '../controls/row.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './layers-section.module.css';
import { LostFiles } from './lost-files.tsx';
import { OpacityRange } from './opacity-range.tsx';

const formats = meshFormats.map((key) => ({ key, label: key.toUpperCase() }));

/** The settings of the chosen mesh layer. */
export function MeshSettings({ look }: { readonly look: MeshLook }) {
  const app = useApp();
  const { id, name, color } = look;
  const readOpacity = useCallback(
    ({ layers }: AppState) => layers.stack.meshes.find((mesh) => mesh.id === id)?.opacity ?? 0,
    [id],
  );
  const isThere = useAppState(({ layers }) => layers.surfaces[id] === undefined) && app.meshes.triangleCount(id) > 0;
  return (
    <section className={styles.settings} aria-label={`Settings of ${name}`} data-testid="mesh-settings">
      <NameInput name={name} onRename={(next) => app.meshes.rename(id, next)} className={styles.rename} testId="mesh-name" />
      <MeshFacts look={look} />
      <Row label="Colour">
        <input
          type="color"
          className={styles.color}
          aria-label={`Color of ${name}`}
          value={color}
          onChange={(event) => app.meshes.change(id, { color: event.currentTarget.value })}
          data-testid="mesh-color"
        />
      </Row>
      <Row label="Opacity">
        <OpacityRange
          name={name}
          read={readOpacity}
          onInput={(opacity) => app.meshes.change(id, { opacity })}
          testId="mesh-opacity"
        />
      </Row>
      {isThere && <SaveMesh look={look} />}
    </section>
  );
}

/** The number of triangles, or why there are none. */
function MeshFacts({ look }: { readonly look: MeshLook }) {
  const app = useApp();
  const state = useAppState(({ layers }) => layers.surfaces[look.id]);
  if (state?.kind === 'failed') return <FaultNotice fault={state.fault} />;
  if (state?.kind === 'loading' && state.progress) return <Progress progress={state.progress} />;
  if (state?.kind === 'loading')
    return <p className={styles.facts}>{app.meshes.fileOf(look.id) ? 'Waiting to be read…' : 'Waiting for its volume…'}</p>;
  if (state?.kind === 'lost') return <LostFiles files={state.files} />;
  const triangles = app.meshes.triangleCount(look.id);
  return (
    <p className={styles.facts} data-testid="mesh-facts">
      {triangles > 0 ? `${formatCount(triangles)} triangles` : 'No triangles'}
    </p>
  );
}

function SaveMesh({ look }: { readonly look: MeshLook }) {
  const app = useApp();
  const { id, name, color } = look;
  const format = useAppState((state) => state.output.surface.format);
  const work = useAppState((state) => state.output.surfaceWork);
  const save = () => {
    const mesh = app.meshes.meshOf(id);
    if (mesh) void app.surfaces.saveMesh({ name, mesh, color });
  };
  return (
    <>
      <Row label="File">
        <Segmented label="File" segments={formats} value={format} onChange={(next) => app.surfaces.set({ format: next })} />
      </Row>
      {work.kind === 'failed' && <FaultNotice fault={work.fault} doing="saving" />}
      <Button onPress={save} testId="mesh-save">
        <Download size={14} aria-hidden />
        Save…
      </Button>
    </>
  );
}
