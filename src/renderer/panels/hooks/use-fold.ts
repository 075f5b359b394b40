import type { InspectorSection } from '../../app/state/settings.ts';
import { useApp, useAppState } from './use-app.ts';

/** Whether a section is open, which the settings remember. */
export function useFold(section: InspectorSection): { readonly isOpen: boolean; readonly onToggle: (open: boolean) => void } {
  const app = useApp();
  const folded = useAppState((state) => state.settings.foldedSections);
  return {
    isOpen: !folded.includes(section),
    onToggle: (open) =>
      app.settings.set({ foldedSections: open ? folded.filter((name) => name !== section) : [...folded, section] }),
  };
}
