import { MonitorOff } from 'lucide-react';
import picture from '../../../../resources/introduction/app.png';
import type { GpuDiagnosis } from '../../../core/gpu/diagnosis.ts';
import { faultWords } from '../../app/words/messages.ts';
import { Button } from '../controls/button.tsx';
import { CommandButton } from '../controls/command-button.tsx';
import { Facts } from '../controls/facts.tsx';
import { useApp } from '../hooks/use-app.ts';
import styles from './no-gpu-view.module.css';

/** Replaces the viewer when there is no GPU, and says why, what to do and what still works. */
export function NoGpuView({ diagnosis }: { readonly diagnosis: GpuDiagnosis }) {
  const app = useApp();
  const words = diagnosis.state === 'ready' ? faultWords['no-adapter'] : faultWords[diagnosis.state];
  const restart = app.host.restartCompatible;
  return (
    <main className={styles.place} data-testid="no-gpu">
      <div className={styles.card} role="alert">
        <MonitorOff size={28} className={styles.icon} aria-hidden />
        <h1 className={styles.title}>{words.title}</h1>
        <p className={styles.why} data-testid="error-message">
          {diagnosis.state === 'no-webgpu' ? words.advice : diagnosis.advice}
        </p>
        {diagnosis.tooSmall.length > 0 && (
          <Facts
            facts={diagnosis.tooSmall.map(({ limit, needed, available }) => ({
              label: limit,
              value: `${needed} needed, ${available} available`,
            }))}
          />
        )}
        {app.host.kind === 'browser' && diagnosis.state === 'no-webgpu' && <Introduction />}
        <p className={styles.still}>
          Stria cannot show volumes without a GPU. You can still drop files here to compress them on the CPU.
        </p>
        <div className={styles.actions}>
          {restart && (
            <Button kind="primary" onPress={() => void restart()}>
              Restart in compatibility mode
            </Button>
          )}
          <Button onPress={() => void app.openGpu()}>Try again</Button>
          <CommandButton id="open" />
          <CommandButton id="diagnostics" kind="quiet" />
        </div>
      </div>
    </main>
  );
}

/** Describes Stria to people whose browser cannot run the viewer. */
function Introduction() {
  return (
    <section className={styles.introduction} data-testid="introduction">
      <p>
        Stria is a viewer and lossless compressor for scientific volumes: scans, microscopy, simulations. It shows a volume in 3D
        and in slices, compresses it on the GPU, bit for bit, and opens the small file again at once. Files stay on your computer.
      </p>
      <img src={picture} alt="A sparse volume in Stria: 3D view, three slices, and the result of compressing it" />
    </section>
  );
}
