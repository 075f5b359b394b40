import { useSyncExternalStore } from 'react';

/** The theme that the page shows now, the system's changes included: for what reads colours from the page once. */
export function useShownTheme(): string | undefined {
  return useSyncExternalStore(watchTheme, () => document.documentElement.dataset.theme);
}

function watchTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}
