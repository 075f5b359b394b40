import type { VolumeInfo } from '../../core/shared/volume.ts';
import { lengthUnit } from '../app/units.ts';
import type { Viewer } from '../viewer/viewer.ts';
import type { SlabChoice } from '../viewer/viewer-api.ts';
import { NumberInput } from './controls/number-input.tsx';
import { type Option, Select } from './controls/select.tsx';
import styles from './slab-controls.module.css';
import { useViewerPart } from './use-app.ts';

const kinds: readonly Option<SlabChoice['kind']>[] = [
  { key: 'none', label: 'One voxel' },
  { key: 'maximum', label: 'Slab: maximum', hint: 'What is brightest along the slab: vessels in contrast' },
  { key: 'mean', label: 'Slab: mean', hint: 'Less noise, at the cost of what is thin' },
  { key: 'minimum', label: 'Slab: minimum', hint: 'What is darkest along the slab: airways' },
];

/** How thick slices are, and what becomes of the voxels across them. */
export function SlabControls({ viewer, info }: { readonly viewer: Viewer; readonly info: VolumeInfo }) {
  const kind = useViewerPart(viewer, ({ state }) => state.slab.kind);
  const thickness = useViewerPart(viewer, ({ state }) => state.slab.thickness);
  const unit = lengthUnit(info);
  return (
    <>
      <Select
        label="Slices"
        options={kinds}
        value={kind}
        onChange={(next) => viewer.set({ slab: { kind: next, thickness } })}
        testId="slab-select"
      />
      {kind !== 'none' && (
        <div className={styles.thickness}>
          <NumberInput
            label={unit === '' ? 'Thickness' : `Thickness, ${unit}`}
            value={thickness}
            minimum={0}
            onChange={(next) => viewer.set({ slab: { kind, thickness: next } })}
          />
        </div>
      )}
    </>
  );
}
