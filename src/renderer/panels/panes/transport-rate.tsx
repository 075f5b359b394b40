import { Input, NumberField } from 'react-aria-components';
import { rates } from '../../playback/frame-clock.ts';
import { classes } from '../controls/classes.ts';
import styles from './transport-bar.module.css';

/** Frames per second. Arrow keys change it by one. */
export function RateField({ rate, onChange }: { readonly rate: number; readonly onChange: (rate: number) => void }) {
  return (
    <NumberField
      className={classes(styles.rate)}
      aria-label="Frames per second"
      value={rate}
      minValue={rates.min}
      maxValue={rates.max}
      formatOptions={{ maximumFractionDigits: 2, useGrouping: false }}
      onChange={(chosen) => {
        if (Number.isFinite(chosen)) onChange(chosen);
      }}
    >
      <Input className={classes(styles.rateInput)} data-testid="rate" title={`Frames per second, ${rates.min} to ${rates.max}`} />
      <span aria-hidden>fps</span>
    </NumberField>
  );
}
