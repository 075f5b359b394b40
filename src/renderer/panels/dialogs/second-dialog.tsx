import { Button } from '../controls/button.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './overlays.module.css';
import { Sheet } from './sheet.tsx';

/** Asks what to do with a file that is opened while a volume is open. */
export function SecondDialog() {
  const { second, store } = useApp();
  const name = useAppState((state) => state.secondName);
  return (
    <Sheet title={`Open ${name}`} onDone={() => store.setState({ overlay: 'none' })} testId="second-dialog">
      <p className={styles.lead}>
        A volume is open. Add this one as a layer over it, compare the two side by side, or open it instead.
      </p>
      <div className={styles.actions}>
        <Button onPress={() => second.choose('replace')} testId="second-replace">
          Replace
        </Button>
        <Button onPress={() => second.choose('compare')} testId="second-compare">
          Compare
        </Button>
        <Button kind="primary" onPress={() => second.choose('layer')} testId="second-layer" autoFocus>
          Add as layer
        </Button>
      </div>
    </Sheet>
  );
}
