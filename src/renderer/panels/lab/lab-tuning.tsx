import type { TuningChoice } from '../../../core/gpu/tuning.ts';
import { standardTuning, tuningChoices, tuningNames } from '../../../core/gpu/tuning.ts';
import { keptTuning } from '../../app/state/gpu-tuning.ts';
import { Button } from '../controls/button.tsx';
import { classes } from '../controls/classes.ts';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './lab-page.module.css';
import { milliseconds } from './lab-table.tsx';

/** The workgroup sizes in use on this GPU, and the times measured for each. */
export function LabTuning() {
  const app = useApp();
  const { choices } = useAppState((state) => state.lab);
  const gpu = useAppState((state) => state.gpu);
  const tunings = useAppState((state) => state.settings.tunings);
  const kept = gpu.kind === 'ready' ? keptTuning(tunings, gpu.gpu) : undefined;
  const taken = kept ?? standardTuning;
  return (
    <section className={styles.table} aria-label="Workgroup sizes" data-testid="lab-tuning">
      <h3 className={styles.tableTitle}>Workgroup sizes</h3>
      <p className={styles.source}>
        {kept
          ? 'Kept in the settings for this GPU and driver.'
          : 'These are the defaults: no sizes are kept for this GPU and driver.'}
      </p>
      <table className={styles.rows}>
        <thead>
          <tr>
            <th>Kernel</th>
            <th className={styles.number}>Default</th>
            <th className={styles.number}>In use</th>
            <th>Median times</th>
          </tr>
        </thead>
        <tbody>
          {tuningNames.map((name) => {
            const { what, standard, values }: TuningChoice = tuningChoices[name];
            const found = choices.find((choice) => choice.name === name);
            return (
              <tr key={name} data-testid="lab-tuning-row">
                <td>{what}</td>
                <td className={styles.number}>{standard}</td>
                <td className={styles.number}>{taken[name]}</td>
                <td>
                  {found
                    ? values.map((value, index) => `${value}: ${milliseconds(found.medianMs[index] as number)}`).join(', ')
                    : '–'}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {kept && (
        <div className={classes(styles.actions, styles.below)}>
          <Button onPress={() => app.settings.resetTuning()} testId="lab-tuning-reset">
            Reset to defaults
          </Button>
        </div>
      )}
    </section>
  );
}
