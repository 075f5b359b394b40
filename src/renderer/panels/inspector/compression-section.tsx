import { Download, FolderOpen, SquareSplitHorizontal, Zap } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { displayText } from '../../../core/shared/display-text.ts';
import { volumeBytes } from '../../../core/shared/volume.ts';
import type { OpenDocument } from '../../app/state/document-state.ts';
import type { JobProgress } from '../../app/state/progress.ts';
import { ratioOf } from '../../app/state/result.ts';
import { canCompareCompressed } from '../../app/when.ts';
import { formatBytes, formatRatio } from '../../app/words/units.ts';
import { Button } from '../controls/button.tsx';
import { CommandButton, CommandIconButton } from '../controls/command-button.tsx';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { Progress } from '../controls/progress.tsx';
import { Section } from '../controls/section.tsx';
import { useAppState } from '../hooks/use-app.ts';
import { useFold } from '../hooks/use-fold.ts';
import { CodecChoices } from './codec-choices.tsx';
import { CompressionDetails } from './compression-details.tsx';
import styles from './compression-section.module.css';
import { ResultCard } from './result-card.tsx';

export function CompressionSection({ document }: { readonly document: OpenDocument }) {
  const fold = useFold('compression');
  const compression = useAppState((state) => state.compression);
  const compressed = useAppState((state) => state.compressed);
  const isRunning = compression.kind === 'running';
  // While the section is folded, its title shows the stage or the ratio.
  const summary = isRunning ? compression.progress.stage : compressed && formatRatio(ratioOf(compressed.result));
  return (
    <Section title="Compression" aside={fold.isOpen ? undefined : summary} {...fold}>
      <div className={styles.choices}>
        <CodecChoices isDisabled={isRunning} />
      </div>
      {isRunning ? (
        <Running progress={compression.progress} isAsked={compression.isAsked} />
      ) : (
        <CommandButton
          id="compress"
          kind={compressed ? 'plain' : 'primary'}
          icon={<Zap size={14} aria-hidden />}
          testId="compress-button"
        />
      )}
      {document.decimation > 1 && compression.kind === 'idle' && !compressed && (
        <p className={styles.hint}>
          {document.isRefining || document.isPreview
            ? 'Not all of the volume has been loaded, so it is streamed from the file.'
            : `${formatBytes(volumeBytes(document.info))} is more than this GPU can hold, so the volume is streamed from the file.`}
        </p>
      )}
      {compression.kind === 'failed' && <FaultNotice fault={compression.fault} />}
      {compressed && !isRunning && (
        <ResultCard result={compressed.result} isAsked={compressed.isAsked}>
          <SaveArea canSave={document.decimation === 1} />
        </ResultCard>
      )}
      <CompressionDetails />
    </Section>
  );
}

/** Progress of a running task. It scrolls into view if the user started the task, since a shortcut works from anywhere. */
function Running({ progress, isAsked = true }: { readonly progress: JobProgress; readonly isAsked?: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isAsked) place.current?.scrollIntoView({ block: 'nearest' });
  }, [isAsked]);
  return (
    <div ref={place} className={styles.running}>
      <Progress progress={progress} />
      <CommandButton id="cancel" testId="cancel-button" />
    </div>
  );
}

function SaveArea({ canSave }: { readonly canSave: boolean }) {
  const save = useAppState((state) => state.save);
  const canCompare = useAppState(canCompareCompressed);
  if (save.kind === 'saving') {
    return <Running progress={save.progress} />;
  }
  const { reveal } = save.kind === 'saved' ? save : { reveal: undefined };
  return (
    <>
      {(canSave || canCompare) && (
        <div className={styles.actions}>
          {canSave && (
            <CommandButton
              id="save"
              kind={save.kind === 'saved' ? 'plain' : 'primary'}
              icon={<Download size={14} aria-hidden />}
              hasKey
              testId="save-button"
            />
          )}
          {canCompare && (
            <CommandIconButton
              id="compare-compressed"
              icon={<SquareSplitHorizontal size={16} aria-hidden />}
              testId="compare-compressed"
            />
          )}
        </div>
      )}
      {save.kind === 'saved' && (
        <div className={styles.saved} role="status" data-testid="saved">
          <span>
            Saved as {displayText(save.name)}
            {save.folder && ` in ${displayText(save.folder)}`}
          </span>
          {reveal && (
            <Button kind="quiet" onPress={() => void reveal()}>
              <FolderOpen size={14} aria-hidden />
              Show in folder
            </Button>
          )}
        </div>
      )}
      {save.kind === 'failed' && <FaultNotice fault={save.fault} doing="saving" />}
    </>
  );
}
