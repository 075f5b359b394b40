import { classes } from './classes.ts';
import styles from './name-input.module.css';

interface Props {
  readonly name: string;
  /** Called when the input loses the focus. Escape restores the old name first. */
  readonly onRename: (name: string) => void;
  readonly className?: string | undefined;
  readonly testId?: string;
}

/** A name that can be edited in place. */
export function NameInput({ name, onRename, className, testId }: Props) {
  return (
    <input
      // Remounts the input when undo restores an old name.
      key={name}
      className={classes(styles.name, className)}
      aria-label={`Name of ${name}`}
      defaultValue={name}
      maxLength={200}
      onBlur={(event) => onRename(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.value = name;
        if (event.key === 'Enter' || event.key === 'Escape') event.currentTarget.blur();
      }}
      data-testid={testId}
    />
  );
}
