import { CircleCheck, Play, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { codecs } from '../../../core/codecs/registry.ts';
import { type LabRun, type LabSize, type LabSuite, labSizes } from '../../app/state/lab-state.ts';
import { startProgress } from '../../app/state/progress.ts';
import { formatBytes, formatDuration, thinSpace } from '../../app/words/units.ts';
import { Button } from '../controls/button.tsx';
import { Facts } from '../controls/facts.tsx';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { Progress } from '../controls/progress.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { Select } from '../controls/select.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './lab-page.module.css';

const suites: readonly { readonly key: LabSuite; readonly label: string; readonly text: string }[] = [
  {
    key: 'seeds',
    label: 'Seeds',
    text: 'The tables of the papers on Rutter, PARLE, CUVLE and MetalRice, with Stria and the CPU for comparison.',
  },
  { key: 'codecs', label: 'Codecs', text: 'Every codec on every sample volume, along every axis.' },
  {
    key: 'compress',
    label: 'Compress',
    text: 'Times what the Compress button does with each sample volume.',
  },
  {
    key: 'playback',
    label: 'Playback',
    text: 'Decodes a stack of pictures from compressed GPU memory and draws it, as fast as possible.',
  },
  {
    key: 'files',
    label: 'Files',
    text: 'Whole programs on whole files, as measured by the command “stria bench files”. The results come with Stria.',
  },
  { key: 'view', label: '3D', text: 'Rotates a volume in the 3D view, with lighting, as fast as possible.' },
  {
    key: 'mesh',
    label: 'Meshes',
    text: 'Extracts the surfaces of a volume and of labels, on the GPU and on the CPU.',
  },
  {
    key: 'tune',
    label: 'Tune',
    text: 'Tries workgroup sizes of the kernels on this GPU. A size replaces the default if it is 5 % faster in two runs. The files stay the same, byte for byte.',
  },
];

const codecOptions = [
  { key: 'all', label: 'All' },
  ...codecs.map(({ name, summary }) => ({ key: name, label: name, hint: summary })),
];

const sizeHints: Readonly<Record<LabSize, string>> = {
  16: 'For a quick try: measures mostly fixed costs',
  32: 'Small',
  64: 'For software GPUs',
  128: 'For integrated GPUs',
  256: 'For most GPUs',
  512: 'As in the papers: takes minutes and gigabytes of GPU memory',
};

/** Chooses a benchmark, runs it, shows its progress and saves its results. */
export function LabControls({ onSavePicture }: { readonly onSavePicture: () => void }) {
  const app = useApp();
  const { suite, size, codec, run, device, cases, choices } = useAppState((state) => state.lab);
  const isSoftware = useAppState(({ gpu }) => gpu.kind === 'ready' && gpu.gpu.isSoftware);
  const isRunning = run.kind === 'running';
  return (
    <aside className={styles.controls} aria-label="Benchmark">
      <Segmented
        label="Suite"
        segments={suites.map(({ key, label }) => ({ key, label, testId: `lab-suite-${key}` }))}
        value={suite}
        onChange={(chosen) => app.lab.choose({ suite: chosen })}
        isDisabled={isRunning}
        isGrid
      />
      <p className={styles.text}>{suites.find(({ key }) => key === suite)?.text}</p>
      {suite !== 'tune' && suite !== 'files' && (
        <Select
          label="Size"
          options={labSizes.map((side) => ({ key: String(side), label: `${side}³`, hint: sizeHints[side] }))}
          value={String(size)}
          onChange={(key) => app.lab.choose({ size: labSizes.find((side) => String(side) === key) ?? size })}
          isDisabled={isRunning}
          testId="lab-size"
        />
      )}
      {suite !== 'seeds' && suite !== 'tune' && suite !== 'files' && (
        <Select
          label="Codec"
          options={codecOptions}
          value={codec}
          onChange={(chosen) => app.lab.choose({ codec: chosen })}
          isDisabled={isRunning}
          testId="lab-codec"
        />
      )}
      {suite !== 'files' && (
        <div className={styles.actions}>
          {isRunning ? (
            <Button onPress={() => app.lab.cancel()} testId="lab-cancel">
              Cancel
            </Button>
          ) : (
            <Button kind="primary" onPress={() => app.lab.run()} isDisabled={suite === 'tune' && isSoftware} testId="lab-run">
              <Play size={14} aria-hidden />
              Run
            </Button>
          )}
        </div>
      )}
      {suite === 'tune' && isSoftware && (
        <p className={styles.text} data-testid="lab-tune-skipped">
          This is a software adapter. Its times say nothing about a GPU, so the default sizes stay.
        </p>
      )}
      <RunState run={run} count={cases.length + choices.length} />
      {device && (
        <Facts
          testId="lab-device"
          facts={[
            { label: 'GPU', value: device.name },
            { label: 'Kind', value: device.software ? 'Software: correct but slow' : 'Hardware' },
          ]}
        />
      )}
      {run.kind === 'tuned' && (
        <div className={styles.actions}>
          <Button onPress={() => void app.exports.saveLab('json')} testId="lab-save-json">
            Save JSON…
          </Button>
        </div>
      )}
      {cases.length > 0 && !isRunning && (
        <div className={styles.actions}>
          <Button onPress={() => void app.exports.saveLab('json')} testId="lab-save-json">
            Save JSON…
          </Button>
          <Button onPress={() => void app.exports.saveLab('csv')} testId="lab-save-csv">
            CSV…
          </Button>
          <Button onPress={onSavePicture} testId="lab-save-png">
            PNG…
          </Button>
        </div>
      )}
    </aside>
  );
}

function RunState({ run, count }: { readonly run: LabRun; readonly count: number }) {
  const results = `${count} ${count === 1 ? 'result' : 'results'}`;
  if (run.kind === 'none') return null;
  if (run.kind === 'failed') return <FaultNotice fault={run.fault} />;
  if (run.kind === 'running') {
    return (
      <div className={styles.state} data-testid="lab-state" data-state="running">
        <Progress compact progress={startProgress(run.stage, undefined, run.startedAt)} />
        <p className={styles.stage}>{run.stage}</p>
        <p className={styles.text}>
          {results} · <Elapsed since={run.startedAt} /> · {formatBytes(run.gpuBytes)} of GPU memory
        </p>
      </div>
    );
  }
  const isDone = run.kind === 'done' || run.kind === 'tuned';
  const freed =
    run.gpuBytes === undefined ? 'finishing' : run.gpuBytes === 0 ? 'GPU memory was freed' : `${formatBytes(run.gpuBytes)} left`;
  return (
    <div className={styles.state} data-testid="lab-state" data-state={run.kind} data-gpu-bytes={run.gpuBytes}>
      <p className={isDone ? styles.done : styles.cancelled}>
        {isDone ? <CircleCheck size={14} aria-hidden /> : <TriangleAlert size={14} aria-hidden />}
        {endWords(run)}
      </p>
      <p className={styles.text}>
        {results} · {freed}
      </p>
      {run.kind === 'done' && run.result.gaps.length > 0 && (
        <ul className={styles.gaps}>
          {run.result.gaps.map(({ subject, method, reason }) => (
            <li key={`${method} ${subject}`}>
              {method}, {subject}: {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function endWords(run: LabRun & { readonly kind: 'cancelled' | 'done' | 'tuned' }): string {
  if (run.kind === 'cancelled') return 'Cancelled';
  if (run.kind === 'done') return `Done in ${formatDuration(run.result.durationMs)}, every output verified`;
  const { choices, durationMs } = run.report;
  const changed = choices.filter(({ chosen, standard }) => chosen !== standard).length;
  return `Tuned in ${formatDuration(durationMs)}: ${changed} of ${choices.length} changed`;
}

function Elapsed({ since }: { readonly since: number }) {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <>{`${Math.max(0, Math.round((now - since) / 1000))}${thinSpace}s`}</>;
}
