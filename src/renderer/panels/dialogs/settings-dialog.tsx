import type { ReactNode } from 'react';
import type { ByteUnits } from '../../../core/shared/amounts.ts';
import { defaultBudget } from '../../../core/volume/resident/resident-volume.ts';
import { brickMebibytes, clampBrickMiB } from '../../app/state/brick-budgets.ts';
import { clampGpuBudget, gpuBudgets, type Theme } from '../../app/state/settings.ts';
import { formatBytes, type LengthUnits } from '../../app/words/units.ts';
import type { Ground } from '../../viewer/colors/grounds.ts';
import { Button } from '../controls/button.tsx';
import { NumberInput } from '../controls/number-input.tsx';
import { Row } from '../controls/row.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import { choiceOf } from '../hooks/use-command.ts';
import { CodecChoices } from '../inspector/codec-choices.tsx';
import styles from './settings-dialog.module.css';
import { Sheet } from './sheet.tsx';

interface Choice<Key extends string> {
  readonly key: Key;
  readonly label: string;
}

const themes: readonly Theme[] = ['system', 'light', 'dark'];
const openings = [
  { key: 'ask', label: 'Ask' },
  { key: 'replace', label: 'Replace it' },
] as const;
const grounds: readonly Choice<Ground>[] = [
  { key: 'near-black', label: 'Near black' },
  { key: 'black', label: 'Black' },
  { key: 'gray', label: 'Gray' },
];
const lengths: readonly Choice<LengthUnits>[] = [
  { key: 'file', label: 'As in the file' },
  { key: 'mm', label: 'mm' },
  { key: 'um', label: 'µm' },
];
const bytes: readonly Choice<ByteUnits>[] = [
  { key: 'binary', label: 'KiB, MiB, GiB' },
  { key: 'decimal', label: 'kB, MB, GB' },
];

/** Settings that are kept between starts. Changes apply at once. */
export function SettingsDialog({ onDone }: { readonly onDone: () => void }) {
  const app = useApp();
  const { theme, ground, lengthUnits, byteUnits, openingSecond } = useAppState((state) => state.settings);
  return (
    <Sheet title="Settings" onDone={onDone} testId="settings">
      <Group title="Appearance">
        <Row label="Theme">
          <Segmented
            label="Theme"
            segments={themes.map((key) => ({ key, label: choiceOf(app, `theme-${key}`).words }))}
            value={theme}
            onChange={(chosen) => app.runCommand(`theme-${chosen}`)}
          />
        </Row>
        <Row label="Viewport background">
          <Segmented
            label="Viewport background"
            segments={grounds}
            value={ground}
            onChange={(chosen) => app.settings.set({ ground: chosen })}
          />
        </Row>
      </Group>
      <Group title="Files">
        <Row label="A file opened over a volume">
          <Segmented
            label="A file opened over a volume"
            segments={openings}
            value={openingSecond}
            onChange={(chosen) => app.settings.set({ openingSecond: chosen })}
          />
        </Row>
      </Group>
      <Group title="Units">
        <Row label="Lengths">
          <Segmented
            label="Lengths"
            segments={lengths}
            value={lengthUnits}
            onChange={(chosen) => app.settings.set({ lengthUnits: chosen })}
          />
        </Row>
        <Row label="File and memory sizes">
          <Segmented
            label="File and memory sizes"
            segments={bytes}
            value={byteUnits}
            onChange={(chosen) => app.settings.set({ byteUnits: chosen })}
          />
        </Row>
      </Group>
      <Group title="Compression">
        <CodecChoices />
      </Group>
      <Group title="GPU memory">
        <Budget />
      </Group>
      <Group title="Bricks of larger volumes">
        <BrickBudgets />
      </Group>
      <div className={styles.actions}>
        <Button onPress={() => app.settings.reset()} testId="settings-reset">
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
  { key: 'own', label: 'Limit', testId: 'budget-own' },
] as const;

/** How much GPU memory volumes may use. */
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
          onChange={(chosen) => app.settings.set({ gpuBudgetMiB: chosen === 'own' ? clampGpuBudget(first) : 'auto' })}
        />
      </Row>
      {isOwn && (
        <div className={styles.budget}>
          <NumberInput
            label="GPU memory limit, MiB"
            value={gpuBudgetMiB}
            minimum={gpuBudgets.min}
            maximum={gpuBudgets.max}
            isWhole
            onChange={(chosen) => app.settings.set({ gpuBudgetMiB: clampGpuBudget(chosen) })}
          />
        </div>
      )}
      <p className={styles.hint}>
        {isOwn || automatic === undefined ? '' : `${formatBytes(automatic)} on this GPU. `}
        Larger volumes are shown at a lower resolution, or brick by brick. Applies to the next volume you open.
      </p>
    </>
  );
}

const brickRows = [
  { part: 'decoded', label: 'Decoded, on the GPU' },
  { part: 'compressed', label: 'Compressed, on the GPU' },
  { part: 'host', label: 'In host memory' },
] as const;

/** How much memory the 3D view may use for volumes that the GPU cannot hold. */
function BrickBudgets() {
  const app = useApp();
  const { brickMiB } = useAppState((state) => state.settings);
  return (
    <>
      {brickRows.map(({ part, label }) => (
        <div key={part} className={styles.budget}>
          <NumberInput
            label={`${label}, MiB`}
            value={brickMiB[part]}
            minimum={brickMebibytes.min}
            maximum={brickMebibytes.max}
            isWhole
            onChange={(chosen) => app.settings.set({ brickMiB: { ...brickMiB, [part]: clampBrickMiB(chosen) } })}
          />
        </div>
      ))}
      <p className={styles.hint}>
        The 3D view reads such volumes in bricks as they come into sight. On the GPU each kind takes at most half of the limit
        above. In host memory, levels that are made for a plain file take at most half. Applies to the next volume you open.
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
