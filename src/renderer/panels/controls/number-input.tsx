import { Input, Label, NumberField } from 'react-aria-components';
import { classes } from './classes.ts';
import styles from './number-input.module.css';

export interface NumberInputProps {
  readonly label: string;
  readonly value: number;
  /** Called when the number is finished: on Enter, on leaving, on arrow keys. */
  readonly onChange: (value: number) => void;
  readonly minimum?: number;
  readonly step?: number;
  readonly maximumFractionDigits?: number;
  readonly isDisabled?: boolean;
}

export function NumberInput({
  label,
  value,
  onChange,
  minimum,
  step,
  maximumFractionDigits = 4,
  isDisabled = false,
}: NumberInputProps) {
  return (
    <NumberField
      className={classes(styles.field)}
      value={value}
      onChange={(next) => {
        if (Number.isFinite(next)) onChange(next);
      }}
      {...(minimum !== undefined && { minValue: minimum })}
      {...(step !== undefined && { step })}
      formatOptions={{ maximumFractionDigits, useGrouping: false }}
      isDisabled={isDisabled}
    >
      <Label className={classes(styles.label)}>{label}</Label>
      <Input className={classes(styles.input)} />
    </NumberField>
  );
}
