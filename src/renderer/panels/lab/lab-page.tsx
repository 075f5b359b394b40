import { X } from 'lucide-react';
import { useRef } from 'react';
import { tableIds } from '../../../core/bench/harness/tables.ts';
import { toStriaError } from '../../../core/shared/errors.ts';
import { CommandIconButton } from '../controls/command-button.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import { LabControls } from './lab-controls.tsx';
import { LabFiles } from './lab-files.tsx';
import styles from './lab-page.module.css';
import { plotsAsPicture } from './lab-picture.ts';
import { LabTable } from './lab-table.tsx';
import { LabTuning } from './lab-tuning.tsx';

/** Runs the suites of `stria bench` on this machine, in a worker with its own GPU device. */
export function LabPage() {
  const app = useApp();
  const { cases, run, suite } = useAppState((state) => state.lab);
  const results = useRef<HTMLDivElement>(null);
  const savePicture = () => {
    if (!results.current) return;
    plotsAsPicture(results.current).then(
      (picture) => app.exports.saveLab('png', picture),
      (error: unknown) => app.store.setState({ notice: toStriaError(error).message }),
    );
  };
  const tables = tableIds.filter((id) => cases.some(({ table }) => table === id));
  return (
    <main className={styles.page} data-testid="lab">
      <div className={styles.head}>
        <h2 className={styles.title}>Lab</h2>
        <CommandIconButton id="lab" icon={<X size={16} aria-hidden />} testId="lab-close" />
      </div>
      <div className={styles.columns}>
        <LabControls onSavePicture={savePicture} />
        <div className={styles.results} ref={results} data-testid="lab-results">
          {suite === 'tune' ? (
            <LabTuning />
          ) : suite === 'files' ? (
            <LabFiles />
          ) : tables.length === 0 ? (
            <p className={styles.empty}>
              {run.kind === 'running'
                ? 'Waiting for the first results.'
                : 'Runs Stria’s codecs, and the algorithms of the papers behind them, on this GPU. Results are compared with copying the same bytes and with published times.'}
            </p>
          ) : (
            tables.map((id) => <LabTable key={id} id={id} cases={cases.filter(({ table }) => table === id)} all={cases} />)
          )}
        </div>
      </div>
    </main>
  );
}
