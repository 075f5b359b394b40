import { ChevronDown, TriangleAlert } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import { type MissingLook, markedColors, missingColor, type Outside } from '../../../core/draw/outside.ts';
import type { OpenDocument } from '../../app/state/document-state.ts';
import { levelOf, toPhysical, type Window } from '../../app/view/window.ts';
import { presetsOf, type WindowPreset } from '../../app/view/window-presets.ts';
import { typedWindow, windowSteps } from '../../app/words/typed-window.ts';
import { digitsFor } from '../../app/words/value-words.ts';
import { windowTrouble } from '../../app/words/window-trouble.ts';
import { colormap, colormapGradient, colormapNames } from '../../viewer/colors/colormaps.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import buttonStyles from '../controls/button.module.css';
import { classes } from '../controls/classes.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { Menu, type MenuGroup } from '../controls/menu.tsx';
import { NumberInput } from '../controls/number-input.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { Select } from '../controls/select.tsx';
import { Toggle } from '../controls/toggle.tsx';
import { useApp, useAppState, useViewerPart } from '../hooks/use-app.ts';
import { ChannelSelect } from './channel-select.tsx';
import styles from './display-section.module.css';
import { HistogramPlot } from './histogram-plot.tsx';
import { SlabControls } from './slab-controls.tsx';
import { StatisticsResolution } from './statistics-resolution.tsx';
import { VolumeControls } from './volume-controls.tsx';

interface Props {
  readonly document: OpenDocument;
  readonly viewer: Viewer;
}

const sides = ['below', 'above'] as const;

function swatchOf(color: readonly number[]): string {
  return `rgb(${color.map((channel) => Math.round(255 * channel)).join(' ')})`;
}

const missingOptions = [
  { key: 'hide', label: 'Hidden', hint: 'Background in slices, transparent in 3D' },
  { key: 'mark', label: 'Marked', hint: 'In slices; transparent in 3D', swatch: swatchOf(missingColor) },
] as const;

function outsideOptions(side: 0 | 1) {
  const marked = swatchOf(markedColors[side]);
  return [
    { key: 'clamp', label: side === 0 ? 'First colour' : 'Last colour' },
    { key: 'hide', label: 'Hidden', hint: 'Background in slices, transparent in 3D' },
    { key: 'mark', label: 'Marked', swatch: marked },
  ] as const;
}

export function DisplaySection({ document, viewer }: Props) {
  const chosenColormap = useViewerPart(viewer, ({ state }) => state.colormap);
  const inverted = useViewerPart(viewer, ({ state }) => state.inverted);
  const smooth = useViewerPart(viewer, ({ state }) => state.smooth);
  const { isCategorical } = colormap(chosenColormap);
  const names = [...new Set<string>([...colormapNames, chosenColormap])];
  const colormaps = names.map((name) => ({
    key: name,
    label: colormap(name).title,
    swatch: colormapGradient({ colormap: name, inverted }),
  }));
  if (document.space) {
    return (
      <div className={styles.rows}>
        <VolumeControls document={document} viewer={viewer} />
      </div>
    );
  }
  return (
    <>
      <ChannelSelect info={document.info} viewer={viewer} />
      <HistogramPlot document={document} viewer={viewer} />
      <HistogramTools document={document} />
      <StatisticsResolution document={document} />
      <div>
        <WindowFields document={document} viewer={viewer} />
        <WindowTrouble document={document} viewer={viewer} />
      </div>
      <div className={styles.rows}>
        <Select
          label="Colormap"
          options={colormaps}
          value={chosenColormap}
          onChange={(name) => viewer.set({ colormap: name })}
          testId="colormap-select"
        />
        {!isCategorical && (
          <Toggle
            label="Invert colormap"
            isOn={inverted}
            onChange={(isOn) => viewer.set({ inverted: isOn })}
            testId="colormap-inverted"
          />
        )}
        <OutsideSelect viewer={viewer} side={0} />
        <OutsideSelect viewer={viewer} side={1} />
        <MissingSelect document={document} viewer={viewer} />
        <VolumeControls document={document} viewer={viewer} />
        <SlabControls info={document.info} viewer={viewer} />
        {!isCategorical && <Toggle label="Interpolate slices" isOn={smooth} onChange={(isOn) => viewer.set({ smooth: isOn })} />}
      </div>
    </>
  );
}

function HistogramTools({ document }: { readonly document: OpenDocument }) {
  const app = useApp();
  const logCounts = useAppState(({ settings }) => settings.logCounts);
  return (
    <div className={styles.tools}>
      <Segmented
        label="Counts"
        value={logCounts ? 'log' : 'linear'}
        onChange={(key) => app.settings.set({ logCounts: key === 'log' })}
        segments={[
          { key: 'log', label: 'Log', testId: 'counts-log' },
          { key: 'linear', label: 'Linear', testId: 'counts-linear' },
        ]}
      />
      <span className={styles.windows}>
        <CommandButton id="window-auto" />
        <PresetMenu document={document} />
      </span>
    </div>
  );
}

/** How values below (0) or above (1) the window are shown. */
function OutsideSelect({ viewer, side }: { readonly viewer: Viewer; readonly side: 0 | 1 }) {
  const outside = useViewerPart(viewer, ({ state }) => state.outside);
  return (
    <Select<Outside>
      label={side === 0 ? 'Below window' : 'Above window'}
      options={outsideOptions(side)}
      value={outside[side]}
      onChange={(way) => viewer.set({ outside: outside.with(side, way) as [Outside, Outside] })}
      testId={`outside-${sides[side]}`}
    />
  );
}

/** How missing voxels are shown, if the volume has any. */
function MissingSelect({ document: { statistics }, viewer }: Props) {
  const missing = useViewerPart(viewer, ({ state }) => state.missing);
  if (statistics.missing === 0 && statistics.notFinite === 0) return null;
  return (
    <Select<MissingLook>
      label={statistics.missing > 0 ? 'No data' : 'Not a number'}
      options={missingOptions}
      value={missing}
      onChange={(way) => viewer.set({ missing: way })}
      testId="missing-select"
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
      .map(({ id, label, hint }) => ({ key: id, label, hint, onAction: () => app.runCommand(`window-${id}`) })),
  });
  const groups = [groupOf('values', 'From the values'), groupOf('file', 'From the file'), groupOf('ct', 'CT')].filter(
    ({ entries }) => entries.length > 0,
  );
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

function WindowFields({ document: { info }, viewer }: Props) {
  const window = useViewerPart(viewer, ({ state }) => state.window);
  const { width, level } = levelOf(window, info);
  const problemOf = (typed: Window | string) => (typeof typed === 'string' ? typed : undefined);
  const show = (typed: Window | string) => {
    if (typeof typed !== 'string') viewer.set({ window: typed });
  };
  const ends = window.map((edge) => Math.abs(toPhysical(edge, info)));
  return (
    <div className={styles.fields}>
      <NumberInput
        label="Window"
        value={width}
        step={windowSteps(width)}
        problemOf={(next) => problemOf(typedWindow(next, level, info))}
        onChange={(next) => show(typedWindow(next, level, info))}
      />
      <NumberInput
        label="Level"
        value={level}
        step={windowSteps(width)}
        digits={digitsFor(Math.max(...ends), width / 1000, 7)}
        problemOf={(next) => problemOf(typedWindow(width, next, info))}
        onChange={(next) => show(typedWindow(width, next, info))}
      />
    </div>
  );
}

/** Warns next to the fields when no value lies inside the window, and offers the automatic window. */
function WindowTrouble({ document: { info, statistics }, viewer }: Props) {
  const trouble = useViewerPart(viewer, ({ state }) => windowTrouble(state.window, info, statistics));
  return (
    <div role="status">
      {trouble && (
        <p className={styles.trouble} data-testid="window-trouble">
          <TriangleAlert size={14} aria-hidden />
          <span>{trouble}</span>
          <CommandButton id="window-auto" testId="window-trouble-auto" />
        </p>
      )}
    </div>
  );
}
