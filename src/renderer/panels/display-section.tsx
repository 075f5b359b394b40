import { useCallback } from 'react';
import { Switch } from 'react-aria-components';
import type { OpenDocument } from '../app/store.ts';
import { levelOf, narrowestWindow, rampOf, windowOf, withStart, withStrength } from '../app/window.ts';
import { colormap, colormapGradient, colormapNames } from '../viewer/colormaps.ts';
import type { Viewer } from '../viewer/viewer.ts';
import type { Projection } from '../viewer/viewer-api.ts';
import { Button } from './controls/button.tsx';
import { classes } from './controls/classes.ts';
import { NumberInput } from './controls/number-input.tsx';
import { Range } from './controls/range.tsx';
import { Section } from './controls/section.tsx';
import { Segmented } from './controls/segmented.tsx';
import { Select } from './controls/select.tsx';
import styles from './display-section.module.css';
import { HistogramPlot } from './histogram-plot.tsx';
import { useApp, useViewerPart } from './use-app.ts';
import { useFold } from './use-fold.ts';

interface Props {
  readonly document: OpenDocument;
  readonly viewer: Viewer;
}

const colormaps = colormapNames.map((name) => ({ key: name, label: colormap(name).title, swatch: colormapGradient(name) }));

export function DisplaySection({ document, viewer }: Props) {
  const fold = useFold('display');
  const projection = useViewerPart(viewer, ({ state }) => state.projection);
  const chosenColormap = useViewerPart(viewer, ({ state }) => state.colormap);
  const smooth = useViewerPart(viewer, ({ state }) => state.smooth);
  return (
    <Section title="Display" {...fold}>
      <HistogramPlot document={document} viewer={viewer} />
      <WindowFields document={document} viewer={viewer} />
      <div className={styles.rows}>
        <Select
          label="Colours"
          options={colormaps}
          value={chosenColormap as (typeof colormaps)[number]['key']}
          onChange={(name) => viewer.set({ colormap: name })}
          testId="colormap-select"
        />
        <div className={styles.row}>
          <span>Projection</span>
          <Segmented<Projection>
            label="Projection"
            value={projection}
            onChange={(next) => viewer.set({ projection: next })}
            segments={[
              { key: 'mip', label: 'Maximum', testId: 'projection-mip' },
              { key: 'composite', label: 'Compositing', testId: 'projection-composite' },
            ]}
          />
        </div>
        {projection === 'composite' && <OpacitySliders viewer={viewer} />}
        <Switch className={classes(styles.switch)} isSelected={smooth} onChange={(isOn) => viewer.set({ smooth: isOn })}>
          <span>Smooth slices</span>
          <span className={styles.track}>
            <span className={styles.knob} />
          </span>
        </Switch>
      </div>
    </Section>
  );
}

function WindowFields({ document: { info, statistics }, viewer }: Props) {
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
      <Button onPress={() => app.autoWindow()}>Auto</Button>
    </div>
  );
}

function OpacitySliders({ viewer }: { readonly viewer: Viewer }) {
  const readStrength = useCallback(() => rampOf(viewer.snapshot().state.opacity).strength * 100, [viewer]);
  const readStart = useCallback(() => rampOf(viewer.snapshot().state.opacity).start * 100, [viewer]);
  const percent = useCallback((value: number) => `${Math.round(value)} percent`, []);
  const common = { minimum: 0, maximum: 100, step: 1, subscribe: viewer.subscribe, words: percent };
  const opacity = () => viewer.snapshot().state.opacity;
  return (
    <>
      <div className={styles.row}>
        <span title="How much each voxel hides what is behind it">Opacity</span>
        <Range
          {...common}
          label="Opacity"
          className={styles.slider}
          read={readStrength}
          onInput={(value) => viewer.set({ opacity: withStrength(opacity(), value / 100) })}
        />
      </div>
      <div className={styles.row}>
        <span title="Values below this part of the window are not shown">Hidden below</span>
        <Range
          {...common}
          label="Hidden below"
          className={styles.slider}
          read={readStart}
          onInput={(value) => viewer.set({ opacity: withStart(opacity(), value / 100) })}
        />
      </div>
    </>
  );
}
