import { type ReactNode, useState } from 'react';
import type { MovingImage, TransformFormat } from '../../../core/transforms/layer-transforms.ts';
import type { MatrixFile } from '../../app/state/layer-state.ts';
import { openDocument } from '../../app/state/store.ts';
import { baseId, volumeIdOf } from '../../viewer/model/layers.ts';
import { Button } from '../controls/button.tsx';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { Row } from '../controls/row.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { Select } from '../controls/select.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './overlays.module.css';
import { Sheet } from './sheet.tsx';

const formatWords: Readonly<Record<TransformFormat, string>> = { itk: 'ITK', fsl: 'FSL FLIRT', plain: 'Plain 4×4' };

/** Asks which layer the matrix in a file should move, and how to interpret the matrix. */
export function MatrixDialog() {
  const matrix = useAppState(({ layers }) => layers.matrix);
  const { store } = useApp();
  const close = () => store.setState({ overlay: 'none' });
  return (
    <Sheet title="Load matrix" onDone={close} testId="matrix-dialog">
      {matrix && <MatrixFields key={matrix.name} matrix={matrix} onDone={close} />}
    </Sheet>
  );
}

function MatrixFields({ matrix, onDone }: { readonly matrix: MatrixFile; readonly onDone: () => void }) {
  const { alignment } = useApp();
  const layers = useAppState((state) => state.layers);
  const volume = useAppState((state) => openDocument(state)?.name ?? '');
  const ready = layers.stack.layers
    .filter((look) => look.of !== baseId && layers.volumes[volumeIdOf(look)]?.kind === 'ready')
    .toReversed();
  const [first] = matrix.stored.formats;
  const [format, setFormat] = useState<TransformFormat>(first ?? 'plain');
  const [moving, setMoving] = useState<MovingImage>('layer');
  const [picked, setPicked] = useState(layers.chosen);
  const layer = ready.find(({ id }) => id === picked) ?? ready[0];
  if (!layer) return <p className={styles.lead}>There is no layer to move.</p>;
  const other = moving === 'layer' ? [volume, layer.name] : [layer.name, volume];
  return (
    <>
      <p className={styles.lead}>
        {matrix.name} moves {ready.length > 1 ? 'a layer' : layer.name}. Its voxels stay as they are.
      </p>
      {ready.length > 1 && (
        <Select
          label="Layer"
          options={ready.map(({ id, name }) => ({ key: id, label: name }))}
          value={layer.id}
          onChange={setPicked}
          testId="matrix-layer"
        />
      )}
      <Row label="Format">
        {matrix.stored.formats.length > 1 ? (
          <Segmented
            label="Format"
            segments={matrix.stored.formats.map((key) => ({ key, label: formatWords[key], testId: `matrix-${key}` }))}
            value={format}
            onChange={setFormat}
          />
        ) : (
          <span>{formatWords[format]}</span>
        )}
      </Row>
      <Row label={movingWords[format].label}>
        <Segmented
          label={movingWords[format].label}
          segments={[
            { key: 'layer', label: 'The layer', testId: 'matrix-moves-layer' },
            { key: 'base', label: 'The volume', testId: 'matrix-moves-volume' },
          ]}
          value={moving}
          onChange={setMoving}
        />
      </Row>
      <p className={styles.lead} data-testid="matrix-meaning">
        {movingWords[format].says(other[0] ?? '', other[1] ?? '')}
      </p>
      {matrix.fault && <FaultNotice fault={matrix.fault} />}
      <div className={styles.actions}>
        <Button onPress={onDone}>Cancel</Button>
        <Button kind="primary" onPress={() => alignment.apply({ id: layer.id, format, moving })} testId="matrix-apply" autoFocus>
          Move the layer
        </Button>
      </div>
    </>
  );
}

interface MovingWords {
  readonly label: string;
  /** @param to the fixed image @param from the image that the matrix was made to move */
  says(to: string, from: string): ReactNode;
}

const movingWords: Readonly<Record<TransformFormat, MovingWords>> = {
  itk: {
    label: 'Moving image',
    says: (to, from) => `The transform maps points of the fixed image, ${to}, to points of the moving image, ${from}.`,
  },
  fsl: {
    label: 'Input image (-in)',
    says: (to, from) => `The matrix maps the input, ${from}, to the reference, ${to}.`,
  },
  plain: {
    label: 'It moves',
    says: (to, from) => `The matrix moves ${from} onto ${to}, in world coordinates (RAS) and millimetres.`,
  },
};
