import { Switch } from 'react-aria-components';
import { classes } from './classes.ts';
import styles from './toggle.module.css';

export interface ToggleProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly testId?: string;
}

/** A switch that takes effect at once. */
export function Toggle({ label, isOn, onChange, testId }: ToggleProps) {
  return (
    <Switch className={classes(styles.switch)} isSelected={isOn} onChange={onChange} data-testid={testId}>
      <span>{label}</span>
      <span className={styles.track}>
        <span className={styles.knob} />
      </span>
    </Switch>
  );
}
