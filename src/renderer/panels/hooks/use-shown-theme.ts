import { useSyncExternalStore } from 'react';

/** The theme on screen, updated when the system's changes. For code that reads colours from the page once. */
export function useShownTheme(): string | undefined {
  return useSyncExternalStore(watchTheme, () => document.documentElement.dataset.theme);
}

function watchTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}
