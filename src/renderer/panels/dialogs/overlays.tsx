import { useState } from 'react';
import { Autocomplete, Dialog, Input, Menu, MenuItem, Modal, ModalOverlay, SearchField, useFilter } from 'react-aria-components';
import { rankedCommands } from '../../app/command-rank.ts';
import { showShortcut } from '../../app/shortcuts.ts';
import { Button } from '../controls/button.tsx';
import { classes } from '../controls/classes.ts';
import { CommandButton } from '../controls/command-button.tsx';
import { Facts } from '../controls/facts.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';
import { AddressDialog } from './address-dialog.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { MatrixDialog } from './matrix-dialog.tsx';
import { MovieDialog } from './movie-dialog.tsx';
import styles from './overlays.module.css';
import { PictureDialog } from './picture-dialog.tsx';
import { SecondDialog } from './second-dialog.tsx';
import { SettingsDialog } from './settings-dialog.tsx';
import { Sheet } from './sheet.tsx';
import { SurfaceDialog } from './surface-dialog.tsx';
import { LayerVolumesDialog, QueueVolumesDialog, VolumesDialog } from './volumes-dialog.tsx';

const narrow = new Set(['address', 'palette', 'settings', 'picture', 'surface', 'movie', 'leave', 'second', 'matrix']);

/** Dialogs and the command palette. Escape or a click outside closes them. */
export function Overlays() {
  const { store } = useApp();
  const overlay = useAppState((state) => state.overlay);
  const secondName = useAppState((state) => state.secondName);
  const close = () => store.setState({ overlay: 'none' });
  return (
    <ModalOverlay
      className={classes(styles.overlay)}
      isOpen={overlay !== 'none'}
      onOpenChange={(isOpen) => !isOpen && close()}
      isDismissable
    >
      <Modal className={classes(styles.modal, narrow.has(overlay) && styles.narrow)}>
        {overlay === 'palette' && <Palette onDone={close} />}
        {overlay === 'shortcuts' && <Shortcuts onDone={close} />}
        {overlay === 'about' && <About onDone={close} />}
        {overlay === 'settings' && <SettingsDialog onDone={close} />}
        {overlay === 'movie' && <MovieDialog onDone={close} />}
        {overlay === 'volumes' && <VolumesDialog onDone={close} />}
        {overlay === 'layer-volumes' && <LayerVolumesDialog onDone={close} />}
        {overlay === 'queue-volumes' && <QueueVolumesDialog onDone={close} />}
        {overlay === 'leave' && <LeaveDialog />}
        {overlay === 'second' && <SecondDialog key={secondName} />}
        {overlay === 'matrix' && <MatrixDialog />}
        {overlay === 'address' && <AddressDialog onDone={close} />}
        {overlay === 'picture' && <PictureDialog onDone={close} />}
        {overlay === 'surface' && <SurfaceDialog onDone={close} />}
      </Modal>
    </ModalOverlay>
  );
}

function Palette({ onDone }: { readonly onDone: () => void }) {
  const app = useApp();
  const { contains } = useFilter({ sensitivity: 'base' });
  // The set of enabled commands does not change while the palette is open and has the focus.
  const enabled = app.commands.filter((command) => command.id !== 'palette' && command.enabled(app.store.getState()));
  const [typed, setTyped] = useState('');
  // Filtered here, not by `Autocomplete`, so that the first command in the shown order is marked.
  const commands = rankedCommands(
    enabled.filter(({ label }) => contains(label, typed.trim())),
    typed,
  );
  return (
    <Dialog className={classes(styles.dialog)} aria-label="Commands" data-testid="palette">
      <Autocomplete inputValue={typed} onInputChange={setTyped}>
        <SearchField className={classes(styles.search)} aria-label="Find a command" autoFocus>
          <Input className={classes(styles.searchInput)} placeholder="Search commands" />
        </SearchField>
        <Menu
          className={classes(styles.commands)}
          aria-label="Commands"
          onAction={(key) => {
            onDone();
            app.runCommand(String(key));
          }}
          renderEmptyState={() => <p className={styles.none}>No matching command.</p>}
        >
          {commands.map(({ id, label, group, shortcut }) => (
            <MenuItem key={id} id={id} textValue={label} className={classes(styles.command)}>
              <span>{label}</span>
              <span className={styles.group}>{group}</span>
              <kbd className={styles.key}>{shortcut && showShortcut(shortcut, app.isMac)}</kbd>
            </MenuItem>
          ))}
        </Menu>
      </Autocomplete>
    </Dialog>
  );
}

function Shortcuts({ onDone }: { readonly onDone: () => void }) {
  const app = useApp();
  const groups = [...new Set(app.commands.map(({ group }) => group))];
  const pointer: readonly (readonly [string, string])[] = [
    ['Rotate the 3D view', 'Drag'],
    ['Zoom the 3D view', 'Wheel'],
    ['View from a side', 'Click the cube'],
    ['Move a clip plane', 'Drag its handle, arrow keys'],
    ['Move or turn a layer while aligning', 'Drag inside the ring, or the ring'],
    ['Move the crosshair', 'Click a slice, arrow keys'],
    ['Next or previous slice', 'Wheel, Page Up/Down'],
    ['Zoom a slice', app.isMac ? '⌘ + wheel' : 'Ctrl + wheel'],
    ['Pan a slice', 'Shift + drag'],
    ['Window and level', 'Right-button drag'],
  ];
  return (
    <Sheet title="Keyboard and pointer" onDone={onDone}>
      <div className={styles.columns}>
        {groups.map((group) => {
          const keyed = app.commands.filter((command) => command.group === group && command.shortcut);
          return keyed.length === 0 ? null : (
            <Keys
              key={group}
              title={group}
              keys={keyed.map(({ label, shortcut = '' }) => [label, showShortcut(shortcut, app.isMac)])}
            />
          );
        })}
        <Keys title="Pointer" keys={pointer} />
      </div>
    </Sheet>
  );
}

function Keys({ title, keys }: { readonly title: string; readonly keys: readonly (readonly [label: string, key: string])[] }) {
  return (
    <section className={styles.keys}>
      <h3 className={styles.keysTitle}>{title}</h3>
      <Facts facts={keys.map(([label, key]) => ({ label, value: <kbd className={styles.key}>{key}</kbd> }))} />
    </section>
  );
}

function About({ onDone }: { readonly onDone: () => void }) {
  const [notices, setNotices] = useState<string>();
  const shell = useAppState((state) => state.shell);
  const gpu = useAppState((state) => state.gpu);
  const graphics = gpu.kind === 'ready' ? gpu.gpu.name : 'none';
  const facts = [
    { label: 'Stria', value: shell?.stria ?? '…' },
    ...(shell?.electron ? [{ label: 'Electron', value: shell.electron }] : []),
    // In a browser there is no version to show here.
    ...(shell?.chromium === '' ? [] : [{ label: 'Chromium', value: shell?.chromium ?? '…' }]),
    { label: 'Platform', value: shell?.platform ?? '…' },
    { label: 'Graphics', value: graphics },
    ...(shell?.compatibilityMode ? [{ label: 'Compatibility mode', value: 'on' }] : []),
  ];
  return (
    <Sheet title="About Stria" onDone={onDone}>
      <p className={styles.lead}>
        See a volume in 3D and in slices, compress it losslessly on the GPU, and open it again at once.
      </p>
      <Facts facts={facts} />
      <div className={styles.actions}>
        <CommandButton id="diagnostics" />
        <CommandButton id="report" />
        {notices === undefined && <Button onPress={() => void readNotices().then(setNotices)}>Third-party notices</Button>}
      </div>
      {notices !== undefined && (
        <pre className={styles.notices} data-testid="notices">
          {notices}
        </pre>
      )}
    </Sheet>
  );
}

/** The licences of the bundled packages. The build writes them beside the page. */
async function readNotices(): Promise<string> {
  const failed = 'The notices could not be read. They are in the file third-party-notices.txt beside the app’s page.';
  const response = await fetch('./third-party-notices.txt').catch(() => undefined);
  return response?.ok ? response.text() : failed;
}
