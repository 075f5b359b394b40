import { useApp, useAppState } from '../hooks/use-app.ts';
import { Sheet } from './sheet.tsx';
import { VolumeChooser } from './volume-chooser.tsx';

/** Chooses another volume of the file or folder that is open. */
export function VolumesDialog({ onDone }: { readonly onDone: () => void }) {
  const app = useApp();
  const from = useAppState(({ document }) => (document.kind === 'ready' ? document.document.chosenFrom : undefined));
  if (!from) return null;
  return (
    <Sheet title="Choose a volume" onDone={onDone} testId="volumes-dialog">
      <VolumeChooser
        file={from.file}
        current={from.dataset}
        onChoose={(id, label) => {
          onDone();
          app.openChoice(from.file, id, label);
        }}
      />
    </Sheet>
  );
}
