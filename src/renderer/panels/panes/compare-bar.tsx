import { CircleCheck, Crosshair, LoaderCircle, TriangleAlert, X } from 'lucide-react';
import { displayText } from '../../../core/shared/display-text.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { Difference } from '../../../core/volume/resident/difference.ts';
import type { ComparisonMode, ComparisonState } from '../../app/state/comparison-state.ts';
import { fraction } from '../../app/state/progress.ts';
import { openDocument } from '../../app/state/store.ts';
import { placeWords } from '../../app/words/counting.ts';
import { formatCount, formatDims, formatNumber, thinSpace } from '../../app/words/units.ts';
import { formatExact } from '../../app/words/value-words.ts';
import { hasOwnLayers } from '../../viewer/model/layers.ts';
import { IconButton } from '../controls/button.tsx';
import { CommandButton, CommandIconButton } from '../controls/command-button.tsx';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { Toggle } from '../controls/toggle.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './compare-bar.module.css';
import { ViewportGrid } from './viewport-grid.tsx';

const modes: readonly { readonly key: ComparisonMode; readonly label: string; readonly testId: string }[] = [
  { key: 'beside', label: 'Side by side', testId: 'compare-beside' },
  { key: 'difference', label: 'Difference', testId: 'compare-difference' },
];

/** The second volume's viewports during a comparison. */
export function SecondGrid() {
  const comparison = useAppState((state) => state.comparison);
  if (comparison.kind !== 'ready') return null;
  return <ViewportGrid key={comparison.name} viewer={comparison.viewer} info={comparison.info} isSecond />;
}

/** The bar of a comparison: the two volumes, how they are shown, and what differs. */
export function CompareBar() {
  const { comparison } = useApp();
  const state = useAppState((each) => each.comparison);
  const hasLayers = useAppState(({ layers: { stack } }) => hasOwnLayers(stack));
  const close = <CommandIconButton id="compare-end" icon={<X size={16} aria-hidden />} testId="compare-end" />;
  if (state.kind === 'none') return null;
  if (state.kind === 'failed') {
    return (
      <section className={styles.bar} aria-label="Comparison">
        <FaultNotice fault={state.fault} subject={state.name} />
        {close}
      </section>
    );
  }
  if (state.kind === 'loading') {
    return (
      <section className={styles.bar} aria-label="Comparison" role="status">
        <LoaderCircle size={14} className={styles.turning} aria-hidden />
        <p className={styles.words}>
          {state.progress.stage} {displayText(state.name)}…
        </p>
        <CommandButton id="compare-end" />
      </section>
    );
  }
  return (
    <section className={styles.bar} aria-label="Comparison" data-testid="compare-bar">
      <Names state={state} />
      <div className={styles.controls}>
        <Toggle
          label="Link views"
          isOn={state.links.views}
          onChange={(views) => comparison.link({ views })}
          testId="link-views"
        />
        {state.mode === 'beside' && (
          <Toggle
            label="Link window"
            isOn={state.links.values}
            onChange={(values) => comparison.link({ values })}
            testId="link-values"
          />
        )}
        {state.mode === 'beside' && hasLayers && (
          <Toggle
            label="Layers in both"
            isOn={state.links.layers}
            onChange={(layers) => comparison.link({ layers })}
            testId="link-layers"
          />
        )}
        <Segmented label="Show" segments={modes} value={state.mode} onChange={(mode) => void comparison.show(mode)} />
        {close}
      </div>
      <Words state={state} />
    </section>
  );
}

type Ready = Extract<ComparisonState, { kind: 'ready' }>;

function Names({ state: { name, info, mode } }: { readonly state: Ready }) {
  const first = useAppState((state) => openDocument(state)?.name);
  return (
    <p className={styles.names} title={displayText(`${first} and ${name}`)}>
      {displayText(first ?? '')} <span className={styles.faint}>{mode === 'difference' ? 'minus' : 'and'}</span>{' '}
      {displayText(name)}{' '}
      <span className={styles.faint}>
        {formatDims(info.dims)} · {info.type}
      </span>
    </p>
  );
}

/** The difference, or why it cannot be computed. */
function Words({ state: { difference, info } }: { readonly state: Ready }) {
  if (difference.kind === 'running') {
    const part = fraction(difference.progress);
    return (
      <p className={styles.words} role="status">
        <LoaderCircle size={14} className={styles.turning} aria-hidden />
        Subtracting…{part !== undefined && ` ${Math.floor(100 * part)}${thinSpace}%`}
      </p>
    );
  }
  if (difference.kind === 'refused') {
    return (
      <p className={styles.words} role="alert" data-testid="difference-refused">
        <TriangleAlert size={14} className={styles.warn} aria-hidden />
        The difference cannot be computed, because {difference.why}
      </p>
    );
  }
  if (difference.kind === 'unknown') return null;
  return (
    <>
      <Found difference={difference.difference} info={info} />
      {difference.whyUnseen !== undefined && difference.difference.differing > 0 && (
        <p className={styles.words} data-testid="difference-unseen">
          <TriangleAlert size={14} className={styles.warn} aria-hidden />
          Counted but not shown: {difference.whyUnseen}
        </p>
      )}
    </>
  );
}

interface FoundProps {
  readonly difference: Difference;
  readonly info: VolumeInfo;
}

function Found({ difference: { voxels, differing, largest, mean }, info: { dims, channels, slope } }: FoundProps) {
  const { comparison } = useApp();
  if (!largest) {
    return (
      <p className={styles.words} role="status" data-testid="difference">
        <CircleCheck size={14} className={styles.good} aria-hidden />
        Identical, bit for bit: {formatCount(voxels)} voxels
      </p>
    );
  }
  const [x, y, z, t] = largest.voxel;
  // Differences are shown in physical values. Without scaling they are exact.
  const size = Math.abs(slope || 1);
  const most = size === 1 ? formatExact(largest.magnitude, 'f32') : formatNumber(size * largest.magnitude, 7);
  return (
    <p className={styles.words} role="status" data-testid="difference">
      {formatCount(differing)} of {formatCount(voxels)} voxels differ · largest {most} at{' '}
      {placeWords([x, y, z], { timePoint: t, dims, channels })} · mean {formatNumber(size * mean, 4)}
      <IconButton
        label="Go to largest difference"
        icon={<Crosshair size={14} aria-hidden />}
        onPress={() => comparison.goToLargest()}
        testId="go-to-largest"
      />
    </p>
  );
}
