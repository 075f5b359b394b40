import { useState } from 'react';
import { displayText } from '../../../core/shared/display-text.ts';
import type { VolumeChoice } from '../../../core/shared/volume-choice.ts';
import { formatCount } from '../../app/words/units.ts';
import { Button } from '../controls/button.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './overlays.module.css';
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
          app.opener.openChoice(from.file, id, label);
        }}
      />
    </Sheet>
  );
}

/** Chooses one of the volumes of a file that is added as a layer. */
export function LayerVolumesDialog({ onDone }: { readonly onDone: () => void }) {
  const app = useApp();
  const adding = useAppState((state) => state.layers.adding);
  if (adding.kind !== 'choosing') return null;
  return (
    <Sheet title={`Add a volume from ${displayText(adding.name)}`} onDone={onDone} testId="layer-volumes-dialog">
      <VolumeChooser file={adding.file} onChoose={(id, label) => app.layers.adding.chooseVolume({ id, label })} />
    </Sheet>
  );
}

/** Chooses the volumes of a queued file to compress. */
export function QueueVolumesDialog({ onDone }: { readonly onDone: () => void }) {
  const app = useApp();
  const row = useAppState(({ queue, choosingRow }) => queue.find(({ id }) => id === choosingRow));
  const [picked, setPicked] = useState<readonly VolumeChoice[]>([]);
  if (row?.state.kind !== 'several') return null;
  const compress = () => {
    onDone();
    app.queue.choose(row.id, picked);
  };
  return (
    <Sheet title={`Choose volumes from ${displayText(row.name)}`} onDone={onDone} testId="queue-volumes-dialog">
      <VolumeChooser file={row.state.file} onPick={setPicked} />
      <div className={styles.actions}>
        <Button onPress={onDone}>Cancel</Button>
        <Button kind="primary" isDisabled={picked.length === 0} onPress={compress} testId="compress-picked">
          {picked.length < 2 ? 'Compress' : `Compress ${formatCount(picked.length)} volumes`}
        </Button>
      </div>
    </Sheet>
  );
}
