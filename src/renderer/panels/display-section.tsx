import type { OpenDocument } from '../app/store.ts';
import { levelOf, narrowestWindow, windowOf } from '../app/window.ts';
import { colormap, colormapGradient, colormapNames } from '../viewer/colormaps.ts';
import type { Viewer } from '../viewer/viewer.ts';
import { Button } from './controls/button.tsx';
import { NumberInput } from './controls/number-input.tsx';
import { Section } from './controls/section.tsx';
import { Select } from './controls/select.tsx';
import { Toggle } from './controls/toggle.tsx';
import styles from './display-section.module.css';
import { HistogramPlot } from './histogram-plot.tsx';
import { useApp, useViewerPart } from './use-app.ts';
import { useFold } from './use-fold.ts';
import { VolumeControls } from './volume-controls.tsx';

interface Props {
  readonly document: OpenDocument;
  readonly viewer: Viewer;
}

const colormaps = colormapNames.map((name) => ({ key: name, label: colormap(name).title, swatch: colormapGradient(name) }));

export function DisplaySection({ document, viewer }: Props) {
  const fold = useFold('display');
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
        <VolumeControls document={document} viewer={viewer} />
        <Toggle label="Smooth slices" isOn={smooth} onChange={(isOn) => viewer.set({ smooth: isOn })} />
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
