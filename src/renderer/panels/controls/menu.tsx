import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { Menu as AriaMenu, Header, MenuItem, MenuSection, MenuTrigger, Popover, Separator } from 'react-aria-components';
import { classes } from './classes.ts';
import styles from './menu.module.css';

export interface MenuEntry {
  readonly key: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly shortcut?: string | undefined;
  readonly isDisabled?: boolean;
  readonly isChecked?: boolean;
  readonly onAction: () => void;
}

export interface MenuGroup {
  readonly title?: string;
  /** A second line below the title. */
  readonly hint?: string;
  readonly entries: readonly MenuEntry[];
}

/** A button (the trigger) that opens a menu. */
export function Menu({ trigger, label, groups }: { trigger: ReactNode; label: string; groups: readonly MenuGroup[] }) {
  const actions = new Map(groups.flatMap((group) => group.entries.map((entry) => [entry.key, entry.onAction] as const)));
  return (
    <MenuTrigger>
      {trigger}
      <Popover className={classes(styles.popover)} offset={4}>
        <AriaMenu aria-label={label} className={classes(styles.menu)} onAction={(key) => actions.get(String(key))?.()}>
          {groups.flatMap((group, index) => [
            index > 0 && <Separator key={`line-${group.title ?? index}`} className={classes(styles.line)} />,
            <MenuSection key={group.title ?? `group-${index}`} {...(group.title === undefined && { 'aria-label': label })}>
              {group.title !== undefined && (
                <Header className={classes(styles.header)}>
                  {group.title}
                  {group.hint && <span className={styles.hint}>{group.hint}</span>}
                </Header>
              )}
              {group.entries.map((entry) => (
                <MenuItem
                  key={entry.key}
                  id={entry.key}
                  textValue={entry.label}
                  className={classes(styles.item)}
                  isDisabled={entry.isDisabled ?? false}
                >
                  <span className={styles.words}>
                    <span>{entry.label}</span>
                    {entry.hint && <span className={styles.hint}>{entry.hint}</span>}
                  </span>
                  {entry.isChecked && <Check size={14} className={styles.check} role="img" aria-label="selected" />}
                  {entry.shortcut && <kbd className={styles.key}>{entry.shortcut}</kbd>}
                </MenuItem>
              ))}
            </MenuSection>,
          ])}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
