import { Check, ChevronDown } from 'lucide-react';
import { Select as AriaSelect, Button, Label, ListBox, ListBoxItem, Popover, SelectValue, Text } from 'react-aria-components';
import { classes } from './classes.ts';
import styles from './select.module.css';

export interface Option<Key extends string> {
  readonly key: Key;
  readonly label: string;
  /** A second line of explanation. */
  readonly hint?: string;
  /** CSS background of a swatch beside the label. */
  readonly swatch?: string | undefined;
}

export interface SelectProps<Key extends string> {
  readonly label: string;
  readonly options: readonly Option<Key>[];
  readonly value: Key;
  readonly onChange: (key: Key) => void;
  readonly isDisabled?: boolean;
  readonly testId?: string;
}

/** A choice from a list, with its label to the left. */
export function Select<Key extends string>({ label, options, value, onChange, isDisabled = false, testId }: SelectProps<Key>) {
  const chosen = options.find((option) => option.key === value);
  return (
    <AriaSelect
      className={classes(styles.select)}
      value={value}
      onChange={(key) => {
        const option = options.find((candidate) => candidate.key === key);
        if (option) onChange(option.key);
      }}
      isDisabled={isDisabled}
    >
      <Label className={classes(styles.label)}>{label}</Label>
      <Button className={classes(styles.button)} data-testid={testId}>
        <SelectValue className={classes(styles.value)}>
          {chosen?.swatch && <span className={styles.swatch} style={{ background: chosen.swatch }} />}
          {chosen?.label ?? value}
        </SelectValue>
        <ChevronDown size={14} aria-hidden />
      </Button>
      <Popover className={classes(styles.popover)} offset={4}>
        <ListBox className={classes(styles.list)}>
          {options.map((option) => (
            <ListBoxItem key={option.key} id={option.key} textValue={option.label} className={classes(styles.item)}>
              <Check size={14} className={styles.check} aria-hidden />
              {option.swatch && <span className={styles.swatch} style={{ background: option.swatch }} />}
              <span className={styles.words}>
                <Text slot="label">{option.label}</Text>
                {option.hint && (
                  <Text slot="description" className={classes(styles.hint)}>
                    {option.hint}
                  </Text>
                )}
              </span>
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
