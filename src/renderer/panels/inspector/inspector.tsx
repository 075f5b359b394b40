import { type PointerEvent, useRef } from 'react';
import { clampInspectorWidth, inspectorWidths } from '../../app/state/settings.ts';
import { openDocument } from '../../app/state/store.ts';
import { useApp, useAppState } from '../hooks/use-app.ts';
import { CompressionSection } from './compression-section.tsx';
import { DisplaySection } from './display-section.tsx';
import { GpuSection } from './gpu-section.tsx';
import styles from './inspector.module.css';
import { MeasurementsSection } from './measurements-section.tsx';
import { VolumeSection } from './volume-section.tsx';

/** The side panel: what the volume is, how it is shown, how it is compressed. */
export function Inspector() {
  const document = useAppState(openDocument);
  const gpu = useAppState((state) => state.gpu);
  const width = useAppState((state) => state.settings.inspectorWidth);
  const place = useRef<HTMLElement>(null);
  if (!document) return null;
  return (
    <aside ref={place} className={styles.inspector} style={{ width }} aria-label="Inspector">
      <ResizeEdge place={place} width={width} />
      <div className={styles.sections}>
        <VolumeSection document={document} viewer={gpu.kind === 'ready' ? gpu.viewer : undefined} />
        {gpu.kind === 'ready' && <DisplaySection document={document} viewer={gpu.viewer} />}
        {gpu.kind === 'ready' && <MeasurementsSection document={document} />}
        <CompressionSection document={document} />
        <GpuSection />
      </div>
    </aside>
  );
}

/** The left edge: dragged, or moved by arrow keys. */
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
      onPointerUp={(event) => app.set({ inspectorWidth: widthAt(event) })}
      onKeyDown={(event) => {
        const by = { ArrowLeft: 16, ArrowRight: -16 }[event.key];
        if (by !== undefined) app.set({ inspectorWidth: clampInspectorWidth(width + by) });
      }}
    />
  );
}
