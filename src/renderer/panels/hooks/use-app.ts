import { createContext, useContext, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import type { App } from '../../app/app.ts';
import type { AppState } from '../../app/state/store.ts';
import type { ViewerSnapshot } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('useApp needs an AppContext');
  return app;
}

/** A part of the app's state. @param select must return the identical value while the state that it reads is unchanged */
export function useAppState<T>(select: (state: AppState) => T): T {
  return useStore(useApp().store, select);
}

/** A part of the viewer's snapshot. Values that change at pointer rate, such as the probe, are written straight to the DOM instead. */
export function useViewerPart<T>(viewer: Viewer, select: (snapshot: ViewerSnapshot) => T): T {
  return useSyncExternalStore(viewer.subscribe, () => select(viewer.snapshot()));
}
