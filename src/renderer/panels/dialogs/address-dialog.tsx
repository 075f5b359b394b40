import { useEffect, useState } from 'react';
import { Button as AriaButton, Input, Label, TextField } from 'react-aria-components';
import { displayText } from '../../../core/shared/display-text.ts';
import { type FaultData, faultToData } from '../../../core/shared/errors.ts';
import { Button } from '../controls/button.tsx';
import { classes } from '../controls/classes.ts';
import { FaultNotice } from '../controls/fault-notice.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import styles from './address-dialog.module.css';
import overlayStyles from './overlays.module.css';
import { Sheet } from './sheet.tsx';

const mostShown = 5;

/** Asks for a web address and opens it. A fault is shown here, so that the user can correct the address. */
export function AddressDialog({ onDone }: { readonly onDone: () => void }) {
  const { addresses } = useApp();
  const recent = useAppState((state) => state.recent).filter(({ address }) => address !== undefined);
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<FaultData>();
  useEffect(() => () => addresses.cancel(), [addresses]);

  const open = (address: string): void => {
    if (address.trim() === '' || isBusy) return;
    setText(address);
    setFault(undefined);
    setBusy(true);
    addresses.open(address).catch((error: unknown) => {
      setFault(faultToData(error));
      setBusy(false);
    });
  };

  return (
    <Sheet title="Open URL" onDone={onDone} testId="address-dialog">
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          open(text);
        }}
      >
        <TextField value={text} onChange={setText} autoFocus className={classes(styles.field)}>
          <Label className={classes(styles.label)}>Address of a volume or an OME-Zarr</Label>
          <Input
            className={classes(styles.input)}
            placeholder="https://example.org/scan.nii.gz"
            type="text"
            inputMode="url"
            autoComplete="off"
            spellCheck="false"
            data-testid="address-input"
          />
        </TextField>
        <p className={overlayStyles.lead}>
          https, http, s3 and gs. Only the parts that are needed are read, if the server allows it.
        </p>
        {fault && fault.tag !== 'aborted' && (
          <FaultNotice fault={fault} advice="Correct the address, or download the file and open it with Open…" />
        )}
        {recent.length > 0 && (
          <section aria-label="Recent addresses" className={styles.recent}>
            {recent.slice(0, mostShown).map(({ id, name, folder, address = '' }) => (
              <AriaButton key={id} className={classes(styles.address)} onPress={() => open(address)} isDisabled={isBusy}>
                <span>{displayText(name)}</span>
                <span className={styles.place}>{displayText(folder)}</span>
              </AriaButton>
            ))}
          </section>
        )}
        <div className={overlayStyles.actions}>
          <Button onPress={onDone}>Cancel</Button>
          <Button kind="primary" onPress={() => open(text)} isDisabled={isBusy || text.trim() === ''} testId="address-open">
            {isBusy ? 'Opening…' : 'Open'}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
