import { createContext, useContext, useSyncExternalStore } from 'react';
import { useStore } from 'zustand';
import type { App } from '../../app/app.ts';
import type { AppState } from '../../app/state/store.ts';
import type { ViewerSnapshot } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('a panel stands outside the app');
  return app;
}

/** @param select gives the same value as long as nothing that it reads has changed */
export function useAppState<T>(select: (state: AppState) => T): T {
  return useStore(useApp().store, select);
}

/** A part of what the viewer shows. What changes at pointer rate (the probe) is not read by this, but straight into the DOM. */
export function useViewerPart<T>(viewer: Viewer, select: (snapshot: ViewerSnapshot) => T): T {
  return useSyncExternalStore(viewer.subscribe, () => select(viewer.snapshot()));
}
