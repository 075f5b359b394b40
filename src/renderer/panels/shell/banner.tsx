import { Info, LoaderCircle } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { displayText } from '../../../core/shared/display-text.ts';
import { Button } from '../controls/button.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './banner.module.css';

/** One line under the top bar while the graphics device is lost. */
export function Banner() {
  const gpu = useAppState((state) => state.gpu);
  if (gpu.kind !== 'recovering') return null;
  return (
    <div className={styles.banner} role="status" data-testid="gpu-banner">
      <LoaderCircle size={14} className={styles.turning} aria-hidden />
      <span>The graphics device was lost. Requesting a new one…</span>
      <span className={styles.why}>{gpu.message}</span>
    </div>
  );
}

const never = () => () => undefined;

/** One line under the top bar when a newer version of the web app is installed. */
export function NewVersionBanner() {
  const { newVersion } = useApp().host;
  const state = useSyncExternalStore(newVersion?.subscribe ?? never, () => newVersion?.state() ?? 'none');
  if (state === 'none') return null;
  return (
    <div className={styles.banner} role="status" data-testid="new-version">
      <Info size={14} aria-hidden />
      <span>A new version of Stria is ready.</span>
      <Button isDisabled={state === 'reloading'} onPress={() => newVersion?.use()}>
        {state === 'reloading' ? 'Reloading…' : 'Reload'}
      </Button>
      <span className={styles.why}>Stria also updates once all of its tabs are closed.</span>
    </div>
  );
}

const noticeMs = 4000;

/** A short message that disappears by itself: 'Diagnostics copied'. */
export function Notice() {
  const { store } = useApp();
  const notice = useAppState((state) => state.notice);
  useEffect(() => {
    if (notice === undefined) return undefined;
    const timer = setTimeout(() => store.setState({ notice: undefined }), noticeMs);
    return () => clearTimeout(timer);
  }, [notice, store]);
  return (
    <div className={styles.noticePlace} role="status" data-testid="notice">
      {notice !== undefined && (
        <span className={styles.notice}>
          <Info size={14} aria-hidden />
          {displayText(notice)}
        </span>
      )}
    </div>
  );
}
