import { type PointerEvent, type ReactNode, useRef } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import type { OpenDocument } from '../../app/state/document-state.ts';
import { clampInspectorWidth, type InspectorTab, inspectorWidths } from '../../app/state/settings.ts';
import { openDocument } from '../../app/state/store.ts';
import { hasChannelGroup } from '../../viewer/model/layers.ts';
import { classes } from '../controls/classes.ts';
import { useApp, useAppState } from '../hooks/use-app.ts';
import { CompressionSection } from './compression-section.tsx';
import { DisplaySection } from './display-section.tsx';
import { GpuSection } from './gpu-section.tsx';
import styles from './inspector.module.css';
import { LayersSection } from './layers-section.tsx';
import { MeasurementsSection } from './measurements-section.tsx';
import { VolumeSection } from './volume-section.tsx';

/** The side panel: compression, which stays visible, above tabs for everything else. */
export function Inspector() {
  const document = useAppState(openDocument);
  const width = useAppState((state) => state.settings.inspectorWidth);
  const place = useRef<HTMLElement>(null);
  if (!document) return null;
  return (
    <aside ref={place} className={styles.inspector} style={{ width }} aria-label="Inspector">
      <ResizeEdge place={place} width={width} />
      <div className={styles.parts}>
        {!document.space && (
          <div className={styles.compression}>
            <CompressionSection document={document} />
          </div>
        )}
        <InspectorTabs document={document} />
      </div>
    </aside>
  );
}

interface Page {
  readonly key: InspectorTab;
  readonly title: string;
  readonly count?: number;
  readonly content: ReactNode;
}

/** Tabs for display, layers, measurements, volume and GPU. Without a GPU there is only the volume tab; surfaces alone do not have it. */
function InspectorTabs({ document }: { readonly document: OpenDocument }) {
  const app = useApp();
  const gpu = useAppState((state) => state.gpu);
  const chosen = useAppState((state) => state.settings.inspectorTab);
  const layerCount = useAppState(
    ({ layers: { stack } }) => stack.layers.length + stack.meshes.length + (hasChannelGroup(stack) ? 1 : 0),
  );
  const measured = useAppState((state) => state.measurements.length);
  const viewer = gpu.kind === 'ready' ? gpu.viewer : undefined;
  const volume: Page = {
    key: 'volume',
    title: 'Volume',
    content: <VolumeSection document={document} viewer={viewer} />,
  };
  const pages: readonly Page[] = viewer
    ? [
        { key: 'display', title: 'Display', content: <DisplaySection document={document} viewer={viewer} /> },
        { key: 'layers', title: 'Layers', count: layerCount, content: <LayersSection document={document} viewer={viewer} /> },
        { key: 'measure', title: 'Measure', count: measured, content: <MeasurementsSection document={document} /> },
        ...(document.space ? [] : [volume]),
        { key: 'gpu', title: 'GPU', content: <GpuSection /> },
      ]
    : [volume];
  const selected = pages.find(({ key }) => key === chosen) ?? pages.find(({ key }) => key === 'layers') ?? volume;
  return (
    <Tabs
      className={classes(styles.tabs)}
      selectedKey={selected.key}
      onSelectionChange={(key) => {
        const page = pages.find((candidate) => candidate.key === key);
        if (page) app.settings.set({ inspectorTab: page.key });
      }}
    >
      <TabList className={classes(styles.tabList)} aria-label="Inspector">
        {pages.map(({ key, title, count = 0 }) => (
          <Tab key={key} id={key} className={classes(styles.tab)} data-testid={`tab-${key}`}>
            {title}
            {count > 0 && <span className={styles.count}>{count}</span>}
          </Tab>
        ))}
      </TabList>
      <TabPanel key={selected.key} id={selected.key} className={classes(styles.page)}>
        {selected.content}
      </TabPanel>
    </Tabs>
  );
}

/** The inspector's left edge. The pointer or the arrow keys move it. */
function ResizeEdge({ place, width }: { readonly place: React.RefObject<HTMLElement | null>; readonly width: number }) {
  const app = useApp();
  const widthAt = (event: PointerEvent): number => clampInspectorWidth(window.innerWidth - event.clientX);
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be dragged
    <div
      className={styles.edge}
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the inspector"
      aria-valuenow={width}
      aria-valuemin={inspectorWidths.min}
      aria-valuemax={inspectorWidths.max}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.buttons === 1 && place.current) place.current.style.width = `${widthAt(event)}px`;
      }}
      onPointerUp={(event) => app.settings.set({ inspectorWidth: widthAt(event) })}
      onKeyDown={(event) => {
        const by = { ArrowLeft: 16, ArrowRight: -16 }[event.key];
        if (by !== undefined) app.settings.set({ inspectorWidth: clampInspectorWidth(width + by) });
      }}
    />
  );
}
