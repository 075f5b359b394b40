import type { ReactNode } from 'react';
import type { ByteUnits } from '../../../core/shared/amounts.ts';
import { defaultBudget } from '../../../core/volume/resident-volume.ts';
import { clampGpuBudget, gpuBudgets, type Theme } from '../../app/state/settings.ts';
import { formatBytes, type LengthUnits } from '../../app/words/units.ts';
import type { Ground } from '../../viewer/colors/grounds.ts';
import { Button } from '../controls/button.tsx';
import { NumberInput } from '../controls/number-input.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import { CodecChoices } from '../inspector/codec-choices.tsx';
import styles from './settings-dialog.module.css';
import { Sheet } from './sheet.tsx';

interface Choice<Key extends string> {
  readonly key: Key;
  readonly label: string;
}

const themes: readonly Choice<Theme>[] = [
  { key: 'system', label: 'System' },
  { key: 'light', label: 'Light' },
  { key: 'dark', label: 'Dark' },
];
const grounds: readonly Choice<Ground>[] = [
  { key: 'near-black', label: 'Near black' },
  { key: 'black', label: 'Black' },
  { key: 'gray', label: 'Gray' },
];
const lengths: readonly Choice<LengthUnits>[] = [
  { key: 'file', label: 'As the file says' },
  { key: 'mm', label: 'mm' },
  { key: 'um', label: 'µm' },
];
const bytes: readonly Choice<ByteUnits>[] = [
  { key: 'binary', label: 'KiB, MiB, GiB' },
  { key: 'decimal', label: 'kB, MB, GB' },
];

/** What Stria remembers between starts. Every change holds at once. */
export function SettingsDialog({ onDone }: { readonly onDone: () => void }) {
  const app = useApp();
  const { theme, ground, lengthUnits, byteUnits } = useAppState((state) => state.settings);
  return (
    <Sheet title="Settings" onDone={onDone} testId="settings">
      <Group title="Looks">
        <Row label="Theme">
          <Segmented label="Theme" segments={themes} value={theme} onChange={(chosen) => app.set({ theme: chosen })} />
        </Row>
        <Row label="Behind pictures">
          <Segmented
            label="Behind pictures"
            segments={grounds}
            value={ground}
            onChange={(chosen) => app.set({ ground: chosen })}
          />
        </Row>
      </Group>
      <Group title="Units">
        <Row label="Lengths">
          <Segmented
            label="Lengths"
            segments={lengths}
            value={lengthUnits}
            onChange={(chosen) => app.set({ lengthUnits: chosen })}
          />
        </Row>
        <Row label="Sizes of files and memory">
          <Segmented
            label="Sizes of files and memory"
            segments={bytes}
            value={byteUnits}
            onChange={(chosen) => app.set({ byteUnits: chosen })}
          />
        </Row>
      </Group>
      <Group title="Compression">
        <CodecChoices />
      </Group>
      <Group title="GPU memory">
        <Budget />
      </Group>
      <div className={styles.actions}>
        <Button onPress={() => app.resetSettings()} testId="settings-reset">
          Reset all
        </Button>
        <Button kind="primary" onPress={onDone}>
          Done
        </Button>
      </div>
    </Sheet>
  );
}

const budgets = [
  { key: 'auto', label: 'Automatic', testId: 'budget-auto' },
  { key: 'own', label: 'At most', testId: 'budget-own' },
] as const;

/** What volumes may take of the GPU's memory. */
function Budget() {
  const app = useApp();
  const { gpuBudgetMiB } = useAppState((state) => state.settings);
  const gpu = useAppState((state) => state.gpu);
  const automatic = gpu.kind === 'ready' ? defaultBudget(gpu.gpu) : undefined;
  const isOwn = gpuBudgetMiB !== 'auto';
  const first = automatic === undefined ? gpuBudgets.default : automatic / 2 ** 20;
  return (
    <>
      <Row label="For volumes">
        <Segmented
          label="GPU memory for volumes"
          segments={budgets}
          value={isOwn ? 'own' : 'auto'}
          onChange={(chosen) => app.set({ gpuBudgetMiB: chosen === 'own' ? clampGpuBudget(first) : 'auto' })}
        />
      </Row>
      {isOwn && (
        <div className={styles.budget}>
          <NumberInput
            label="MiB of GPU memory"
            value={gpuBudgetMiB}
            minimum={gpuBudgets.min}
            maximum={gpuBudgets.max}
            isWhole
            onChange={(chosen) => app.set({ gpuBudgetMiB: clampGpuBudget(chosen) })}
          />
        </div>
      )}
      <p className={styles.hint}>
        {isOwn || automatic === undefined ? '' : `${formatBytes(automatic)} on this GPU. `}
        What is larger is shown at a lower resolution. Holds for what is opened next.
      </p>
    </>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={styles.group}>
      <h3 className={styles.title}>{title}</h3>
      {children}
    </section>
  );
}

function Row({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className={styles.row}>
      <span>{label}</span>
      {children}
    </div>
  );
}
