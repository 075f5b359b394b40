import { useAppState } from '../hooks/use-app.ts';
import { CompareBar, SecondGrid } from '../panes/compare-bar.tsx';
import { ViewportGrid } from '../panes/viewport-grid.tsx';
import { ChoiceView } from './choice-view.tsx';
import { EmptyState } from './empty-state.tsx';
import { LoadFailed, LoadingView } from './loading-view.tsx';
import { NoGpuView } from './no-gpu-view.tsx';
import { RawForm } from './raw-form.tsx';
import styles from './stage.module.css';
import { WaitingView } from './waiting-view.tsx';

/** The middle of the window: the viewports, or what replaces them. */
export function Stage() {
  const document = useAppState((state) => state.document);
  const gpu = useAppState((state) => state.gpu);
  if (document.kind === 'loading') return <LoadingView name={document.name} progress={document.progress} />;
  if (document.kind === 'layout') return <RawForm file={document.file} suggestions={document.suggestions} />;
  if (document.kind === 'choice') return <ChoiceView file={document.file} />;
  if (document.kind === 'waiting') return <WaitingView session={document.session} />;
  if (document.kind === 'failed') return <LoadFailed {...document} />;
  if (gpu.kind === 'failed') return <NoGpuView diagnosis={gpu.diagnosis} />;
  if (document.kind === 'empty') return <EmptyState />;
  if (gpu.kind !== 'ready') return <RecoveringView />;
  return (
    <main className={styles.pictures}>
      <CompareBar />
      <div className={styles.pair}>
        <ViewportGrid viewer={gpu.viewer} info={document.document.info} />
        <SecondGrid />
      </div>
    </main>
  );
}

function RecoveringView() {
  return <main className={styles.recovering}>The view will return once a new device is ready.</main>;
}
