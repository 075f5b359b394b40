import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { App } from '../../app/app.ts';
import { openDocument } from '../../app/state/store.ts';
import { MoviePanel } from '../dialogs/movie-panel.tsx';
import { Overlays } from '../dialogs/overlays.tsx';
import { AppContext, useAppState } from '../hooks/use-app.ts';
import { Inspector } from '../inspector/inspector.tsx';
import { LabPage } from '../lab/lab-page.tsx';
import { TransportBar } from '../panes/transport-bar.tsx';
import styles from './app-root.module.css';
import { Banner, NewVersionBanner, Notice } from './banner.tsx';
import { DropOverlay } from './drop-overlay.tsx';
import { FirstHints } from './first-hints.tsx';
import { QueuePanel } from './queue-panel.tsx';
import { Stage } from './stage.tsx';
import { TopBar } from './top-bar.tsx';

export function AppRoot({ app }: { readonly app: App }) {
  // A change of units changes texts everywhere, so the whole app renders again.
  useStore(app.store, ({ settings }) => `${settings.lengthUnits} ${settings.byteUnits}`);
  return (
    <AppContext value={app}>
      <Theme />
      <Title />
      <div className={styles.app}>
        <TopBar />
        <Banner />
        <NewVersionBanner />
        <Middle />
      </div>
      <Notice />
      <DropOverlay />
      <Overlays />
    </AppContext>
  );
}

/** The viewer with its inspector and transport bar, or the Lab. */
function Middle() {
  const page = useAppState((state) => state.page);
  return (
    <>
      <div className={styles.middle}>
        <div className={styles.center}>
          <FirstHints />
          {page === 'lab' ? <LabPage /> : <Stage />}
          <MoviePanel />
          <QueuePanel />
        </div>
        {page === 'viewer' && <InspectorPlace />}
      </div>
      {page === 'viewer' && <TransportBar />}
    </>
  );
}

function InspectorPlace() {
  const isShown = useAppState((state) => state.settings.inspectorOpen && state.document.kind === 'ready');
  return isShown ? <Inspector /> : null;
}

/** The window's title: the name of the open volume. */
function Title() {
  const name = useAppState((state) => {
    const { document } = state;
    if (document.kind === 'waiting') return document.session.file.name;
    return 'name' in document ? document.name : openDocument(state)?.name;
  });
  return <title>{name === undefined ? 'Stria' : `${name} – Stria`}</title>;
}

/** Applies the chosen theme, or the system's, and the viewport background to the document. */
function Theme() {
  const ground = useAppState((state) => state.settings.ground);
  useEffect(() => {
    document.documentElement.dataset.ground = ground;
  }, [ground]);
  const theme = useAppState((state) => state.settings.theme);
  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: light)');
    const apply = () => {
      document.documentElement.dataset.theme = theme === 'system' ? (system.matches ? 'light' : 'dark') : theme;
    };
    apply();
    system.addEventListener('change', apply);
    return () => system.removeEventListener('change', apply);
  }, [theme]);
  return null;
}
