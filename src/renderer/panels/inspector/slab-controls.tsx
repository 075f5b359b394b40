import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { fileLength, lengthUnit, shownLength } from '../../app/words/units.ts';
import { linkedSlabs, slabChoice, withSlab } from '../../viewer/model/slab.ts';
import type { SlabChoice, SliceAxis } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { NumberInput } from '../controls/number-input.tsx';
import { type Option, Select } from '../controls/select.tsx';
import { Toggle } from '../controls/toggle.tsx';
import { useApp, useViewerPart } from '../hooks/use-app.ts';
import styles from './slab-controls.module.css';

const kinds: readonly Option<SlabChoice['kind']>[] = [
  { key: 'none', label: 'Single slice' },
  { key: 'maximum', label: 'Slab, maximum', hint: 'Brightest voxel across the slab: vessels with contrast' },
  { key: 'mean', label: 'Slab, mean', hint: 'Less noise, but thin structures fade' },
  { key: 'minimum', label: 'Slab, minimum', hint: 'Darkest voxel across the slab: airways' },
];

interface Props {
  readonly viewer: Viewer;
  readonly info: VolumeInfo;
}

/** Slab thickness and how a slab combines its voxels, for all axes or for each one. */
export function SlabControls({ viewer, info }: Props) {
  const { store } = useApp();
  const areSame = useViewerPart(viewer, ({ state }) => state.sliceSlabs === undefined);
  const link = (same: boolean) => viewer.set(linkedSlabs(viewer.snapshot().state, same, store.getState().sliceAxis));
  return (
    <>
      {areSame ? (
        <SlabChooser viewer={viewer} info={info} axis="z" of="" testId="slab-select" />
      ) : (
        (['x', 'y', 'z'] as const).map((axis) => (
          <SlabChooser key={axis} viewer={viewer} info={info} axis={axis} of={` across ${axis}`} testId={`slab-select-${axis}`} />
        ))
      )}
      <Toggle label="Same for all axes" isOn={areSame} onChange={link} testId="slab-same" />
    </>
  );
}

interface ChooserProps extends Props {
  readonly axis: SliceAxis;
  /** Suffix of the labels: ` across x`, or empty for all axes. */
  readonly of: string;
  readonly testId: string;
}

function SlabChooser({ viewer, info, axis, of, testId }: ChooserProps) {
  const { kind, thickness } = useViewerPart(viewer, ({ state }) => slabChoice(state, axis));
  const unit = lengthUnit(info);
  const choose = (choice: SlabChoice) => viewer.set(withSlab(viewer.snapshot().state, axis, choice));
  return (
    <>
      <Select
        label={`Slices${of}`}
        options={kinds}
        value={kind}
        onChange={(next) => choose({ kind: next, thickness })}
        testId={testId}
      />
      {kind !== 'none' && (
        <div className={styles.thickness}>
          <NumberInput
            label={unit === '' ? `Slab thickness${of}` : `Slab thickness${of}, ${unit}`}
            value={shownLength(thickness, info)}
            minimum={0}
            onChange={(next) => choose({ kind, thickness: fileLength(next, info) })}
          />
        </div>
      )}
    </>
  );
}
