import { ChevronDown } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import { markedColors, type Outside } from '../../../core/draw/outside.ts';
import type { OpenDocument } from '../../app/state/store.ts';
import { levelOf, narrowestWindow, windowOf } from '../../app/view/window.ts';
import { presetsOf, type WindowPreset } from '../../app/view/window-presets.ts';
import { colormap, colormapGradient, colormapNames } from '../../viewer/colors/colormaps.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import buttonStyles from '../controls/button.module.css';
import { Button } from '../controls/button.tsx';
import { classes } from '../controls/classes.ts';
import { Menu, type MenuGroup } from '../controls/menu.tsx';
import { NumberInput } from '../controls/number-input.tsx';
import { Section } from '../controls/section.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { Select } from '../controls/select.tsx';
import { Toggle } from '../controls/toggle.tsx';
import { useApp, useAppState, useViewerPart } from '../hooks/use-app.ts';
import { useFold } from '../hooks/use-fold.ts';
import styles from './display-section.module.css';
import { HistogramPlot } from './histogram-plot.tsx';
import { SlabControls } from './slab-controls.tsx';
import { VolumeControls } from './volume-controls.tsx';

interface Props {
  readonly document: OpenDocument;
  readonly viewer: Viewer;
}

const sides = ['below', 'above'] as const;

function outsideOptions(side: 0 | 1) {
  const marked = `rgb(${markedColors[side].map((channel) => Math.round(255 * channel)).join(' ')})`;
  return [
    { key: 'clamp', label: side === 0 ? 'Lowest colour' : 'Highest colour' },
    { key: 'hide', label: 'Hidden', hint: 'the background in slices, transparent in 3D' },
    { key: 'mark', label: 'Marked', swatch: marked },
  ] as const;
}

export function DisplaySection({ document, viewer }: Props) {
  const fold = useFold('display');
  const chosenColormap = useViewerPart(viewer, ({ state }) => state.colormap);
  const inverted = useViewerPart(viewer, ({ state }) => state.inverted);
  const smooth = useViewerPart(viewer, ({ state }) => state.smooth);
  const { isCategorical } = colormap(chosenColormap);
  const colormaps = colormapNames.map((name) => ({
    key: name,
    label: colormap(name).title,
    swatch: colormapGradient({ colormap: name, inverted }),
  }));
  return (
    <Section title="Display" {...fold}>
      <HistogramPlot document={document} viewer={viewer} />
      <HistogramTools viewer={viewer} />
      <WindowFields document={document} viewer={viewer} />
      <div className={styles.rows}>
        <Select
          label="Colours"
          options={colormaps}
          value={chosenColormap as (typeof colormaps)[number]['key']}
          onChange={(name) => viewer.set({ colormap: name })}
          testId="colormap-select"
        />
        {!isCategorical && (
          <Toggle
            label="Inverted"
            isOn={inverted}
            onChange={(isOn) => viewer.set({ inverted: isOn })}
            testId="colormap-inverted"
          />
        )}
        <OutsideSelect viewer={viewer} side={0} />
        <OutsideSelect viewer={viewer} side={1} />
        <VolumeControls document={document} viewer={viewer} />
        <SlabControls info={document.info} viewer={viewer} />
        {!isCategorical && <Toggle label="Smooth slices" isOn={smooth} onChange={(isOn) => viewer.set({ smooth: isOn })} />}
      </div>
    </Section>
  );
}

function HistogramTools({ viewer }: { readonly viewer: Viewer }) {
  const app = useApp();
  const logCounts = useAppState(({ settings }) => settings.logCounts);
  const hasOpacity = useViewerPart(viewer, ({ state }) => state.projection === 'composite');
  return (
    <div className={styles.tools}>
      <Segmented
        label="Counts"
        value={logCounts ? 'log' : 'linear'}
        onChange={(key) => app.set({ logCounts: key === 'log' })}
        segments={[
          { key: 'log', label: 'Log', testId: 'counts-log' },
          { key: 'linear', label: 'Linear', testId: 'counts-linear' },
        ]}
      />
      {hasOpacity && (
        <Button kind="quiet" onPress={() => app.resetOpacity()} testId="opacity-reset">
          Reset opacity
        </Button>
      )}
    </div>
  );
}

/** What values below (0) or above (1) the window show. */
function OutsideSelect({ viewer, side }: { readonly viewer: Viewer; readonly side: 0 | 1 }) {
  const outside = useViewerPart(viewer, ({ state }) => state.outside);
  return (
    <Select<Outside>
      label={side === 0 ? 'Values below' : 'Values above'}
      options={outsideOptions(side)}
      value={outside[side]}
      onChange={(way) => viewer.set({ outside: outside.with(side, way) as [Outside, Outside] })}
      testId={`outside-${sides[side]}`}
    />
  );
}

function PresetMenu({ document }: { readonly document: OpenDocument }) {
  const app = useApp();
  const presets = presetsOf(document);
  const groupOf = (group: WindowPreset['group'], title: string): MenuGroup => ({
    title,
    entries: presets
      .filter((preset) => preset.group === group)
      .map(({ id, label, hint }) => ({ key: id, label, hint, onAction: () => app.presetWindow(id) })),
  });
  const groups = [groupOf('values', 'By the values'), groupOf('ct', 'CT')].filter(({ entries }) => entries.length > 0);
  return (
    <Menu
      label="Window presets"
      trigger={
        <AriaButton
          className={classes(buttonStyles.button, buttonStyles.icon)}
          aria-label="Window presets"
          data-testid="window-presets"
        >
          <ChevronDown size={14} aria-hidden />
        </AriaButton>
      }
      groups={groups}
    />
  );
}

function WindowFields({ document, viewer }: Props) {
  const { info, statistics } = document;
  const app = useApp();
  const window = useViewerPart(viewer, ({ state }) => state.window);
  const { width, level } = levelOf(window, info);
  const isInteger = info.type !== 'f32' && info.type !== 'f64';
  const narrowest = narrowestWindow(statistics.min, statistics.max, isInteger) * Math.abs(info.slope || 1);
  const digits = isInteger && Number.isInteger(info.slope) ? 1 : Math.max(0, 4 - Math.floor(Math.log10(Math.max(width, 1e-12))));
  return (
    <div className={styles.fields}>
      <NumberInput
        label="Window"
        value={width}
        minimum={0}
        maximumFractionDigits={Math.min(12, digits)}
        onChange={(next) => viewer.set({ window: windowOf(next, level, info, narrowest) })}
      />
      <NumberInput
        label="Level"
        value={level}
        maximumFractionDigits={Math.min(12, digits)}
        onChange={(next) => viewer.set({ window: windowOf(width, next, info, narrowest) })}
      />
      <Button onPress={() => app.presetWindow('auto')}>Auto</Button>
      <PresetMenu document={document} />
    </div>
  );
}
