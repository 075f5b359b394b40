import type { ReactNode } from 'react';
import { Button as AriaButton, Tooltip, TooltipTrigger } from 'react-aria-components';
import styles from './button.module.css';
import { classes } from './classes.ts';

export interface ButtonProps {
  readonly children: ReactNode;
  readonly onPress: () => void;
  /** 'primary' is the main action; 'quiet' has no frame until hovered. */
  readonly kind?: 'plain' | 'primary' | 'quiet';
  readonly isDisabled?: boolean;
  readonly testId?: string;
  readonly autoFocus?: boolean;
}

export function Button({ children, onPress, kind = 'plain', isDisabled = false, testId, autoFocus = false }: ButtonProps) {
  return (
    <AriaButton
      className={classes(styles.button, styles[kind])}
      onPress={onPress}
      isDisabled={isDisabled}
      data-testid={testId}
      autoFocus={autoFocus}
    >
      {children}
    </AriaButton>
  );
}

export interface IconButtonProps {
  readonly label: string;
  /** As shown on this platform: `⌘O`. */
  readonly shortcut?: string | undefined;
  readonly icon: ReactNode;
  readonly onPress: () => void;
  readonly isDisabled?: boolean;
  readonly testId?: string;
}

/** A button with only an icon. Its label is the tooltip and the accessible name. */
export function IconButton({ label, shortcut, icon, onPress, isDisabled = false, testId }: IconButtonProps) {
  return (
    <TooltipTrigger delay={500} closeDelay={0}>
      <AriaButton
        className={classes(styles.button, styles.quiet, styles.icon)}
        aria-label={label}
        onPress={onPress}
        isDisabled={isDisabled}
        data-testid={testId}
      >
        {icon}
      </AriaButton>
      <Tip label={label} shortcut={shortcut} />
    </TooltipTrigger>
  );
}

/** The tooltip of a control, with its shortcut. */
export function Tip({ label, shortcut }: { readonly label: string; readonly shortcut?: string | undefined }) {
  return (
    <Tooltip className={classes(styles.tip)} offset={6}>
      {label}
      {shortcut && <kbd className={styles.key}>{shortcut}</kbd>}
    </Tooltip>
  );
}
