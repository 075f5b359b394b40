import { ChevronDown, Move3d } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { fieldText } from '../../app/words/number-text.ts';
import { layerCenter, type MotionNumbers, motionNumbers, wholeTurn } from '../../viewer/model/alignment.ts';
import type { LayerLook } from '../../viewer/model/layers.ts';
import { hasOrientation } from '../../viewer/model/orientation.ts';
import buttonStyles from '../controls/button.module.css';
import { classes } from '../controls/classes.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { Fold } from '../controls/fold.tsx';
import { Menu } from '../controls/menu.tsx';
import { NumberInput } from '../controls/number-input.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './layer-alignment.module.css';

const patientAxes = ['Right', 'Anterior', 'Superior'] as const;
const plainAxes = ['x', 'y', 'z'] as const;
const units: Readonly<Record<VolumeInfo['spatialUnit'], string>> = { m: 'm', mm: 'mm', um: 'µm', unknown: '' };

interface Props {
  readonly look: LayerLook;
  readonly base: VolumeInfo;
  readonly layer: VolumeInfo;
}

/** Moves and turns the chosen layer by numbers or matrices, and switches the handles in the views on and off. */
export function LayerAlignment({ look, base, layer }: Props) {
  const app = useApp();
  const isAligning = useAppState(({ layers }) => layers.aligning);
  const [isOpen, setOpen] = useState(look.motion !== undefined);
  const center = useMemo(() => layerCenter(base, layer), [base, layer]);
  const numbers = useMemo(() => rounded(motionNumbers(look.motion, center)), [look.motion, center]);
  const { move, turn, isRigid } = numbers;
  const axes = hasOrientation(base) ? patientAxes : plainAxes;
  const unit = units[base.spatialUnit];
  const fields = (key: 'move' | 'turn', step: number): ReactNode =>
    axes.map((label, axis) => (
      <NumberInput
        key={label}
        label={label}
        value={numbers[key][axis] as number}
        digits={6}
        step={step}
        minimum={key === 'move' ? -1e6 : -360}
        maximum={key === 'move' ? 1e6 : 360}
        onChange={(value) => app.alignment.setNumbers({ move, turn, [key]: numbers[key].with(axis, value) })}
      />
    ));
  return (
    <Fold
      title="Alignment"
      aside={look.motion ? summary(numbers, unit) : undefined}
      isOpen={isOpen || isAligning}
      onToggle={setOpen}
      testId="layer-alignment"
    >
      <div className={styles.alignment}>
        <div className={styles.actions}>
          <CommandButton
            id="layer-align"
            testId="layer-align"
            icon={<Move3d size={14} aria-hidden />}
            kind={isAligning ? 'primary' : 'plain'}
          />
          <CommandButton id="layer-reset" testId="layer-reset" kind="quiet" />
        </div>
        {isAligning && (
          <p className={styles.hint}>
            Drag inside the ring to move the layer, and the ring to turn it. Hold Shift for fine steps. Esc ends.
          </p>
        )}
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid */}
        <div className={styles.row} role="group" aria-label="Move" data-testid="layer-move">
          <span className={styles.head}>Move{unit && `, ${unit}`}</span>
          {fields('move', 1)}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid */}
        <div className={styles.row} role="group" aria-label="Turn" data-testid="layer-turn">
          <span className={styles.head} title="Rotations about the layer’s centre, applied in the order of the fields">
            Turn about, °
          </span>
          {fields('turn', 1)}
        </div>
        {!isRigid && (
          <p className={styles.hint}>The layer’s matrix also scales, shears or mirrors. These numbers do not change that.</p>
        )}
        <div className={styles.actions}>
          <CommandButton id="layer-center" testId="layer-center" />
          <CommandButton id="layer-match" testId="layer-match" />
        </div>
        <div className={styles.actions}>
          <CommandButton id="layer-load-matrix" testId="layer-load-matrix" />
          <SaveMenu />
        </div>
      </div>
    </Fold>
  );
}

function SaveMenu() {
  const app = useApp();
  const entry = (key: string, label: string, hint: string) => ({ key, label, hint, onAction: () => app.runCommand(key) });
  return (
    <Menu
      label="Save matrix"
      trigger={
        <AriaButton className={classes(buttonStyles.button, buttonStyles.plain)} data-testid="layer-save-matrix">
          Save matrix
          <ChevronDown size={14} aria-hidden />
        </AriaButton>
      }
      groups={[
        {
          entries: [
            entry('layer-save-itk', 'ITK transform (.tfm)', 'From the volume (fixed image) to the layer; LPS'),
            entry('layer-save-fsl', 'FSL FLIRT (.mat)', 'From the layer (input) to the volume (reference)'),
            entry('layer-save-plain', 'Plain 4×4 (.txt)', 'Moves the layer; RAS, in millimetres'),
          ],
        },
      ]}
    />
  );
}

/** Numbers without rounding noise. */
function rounded({ move, turn, isRigid }: MotionNumbers): MotionNumbers {
  const round = (value: number): number => Math.round(value * 1e6) / 1e6 + 0;
  const all = ([x, y, z]: MotionNumbers['move']) => [round(x), round(y), round(z)] as const;
  return { move: all(move), turn: all(turn), isRigid };
}

function summary({ move, turn, isRigid }: MotionNumbers, unit: string): string {
  const [far, angle] = [fieldText(Math.hypot(...move), 3), fieldText(wholeTurn(turn), 3)];
  const parts = [far !== '0' && `moved ${far} ${unit}`.trim(), angle !== '0' && `turned ${angle}°`, !isRigid && 'scaled'];
  return parts.filter((part) => part !== false).join(', ');
}
