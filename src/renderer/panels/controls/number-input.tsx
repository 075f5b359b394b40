import { CircleAlert } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { FieldError, Input, Label, TextField } from 'react-aria-components';
import { fieldText, readNumber } from '../../app/words/number-text.ts';
import { classes } from './classes.ts';
import styles from './number-input.module.css';

export interface NumberInputProps {
  readonly label: string;
  readonly value: number;
  /** Called with another number once it is finished: on Enter, on leaving, on arrow keys. */
  readonly onChange: (value: number) => void;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly isWhole?: boolean;
  /** Of the arrow keys; Page Up and Page Down, or Shift, take ten. */
  readonly step?: number;
  /** Significant digits that are shown. Whole numbers are shown in full. */
  readonly digits?: number;
  /** Why a number within the limits will not do, in words. */
  readonly problemOf?: (value: number) => string | undefined;
  readonly isDisabled?: boolean;
}

/** What is being written, and what was wrong with it when it was finished. */
interface Draft {
  readonly text: string;
  readonly problem?: string;
  /** The value it was to replace: once that is another one, the draft is out of date. */
  readonly of: number;
}

/**
 * A field for a number. It takes any finite number as people write it, says what is wrong with other text and keeps it there to be
 * mended. A text that was not touched changes nothing, although it may show fewer digits than the value has.
 */
export function NumberInput({ label, value, onChange, digits, step = 1, isDisabled = false, ...limits }: NumberInputProps) {
  const [written, setDraft] = useState<Draft>();
  const draft = written && Object.is(written.of, value) ? written : undefined;
  const shown = fieldText(value, digits);

  const offer = (next: number): string | undefined => {
    const problem = problemWith(next, limits);
    if (problem === undefined && next !== value) onChange(next);
    return problem;
  };
  const finish = (): void => {
    const text = draft?.text.trim() ?? shown;
    const read = readNumber(text);
    const problem = text === shown ? undefined : 'value' in read ? offer(read.value) : read.problem;
    setDraft(problem === undefined ? undefined : { text, problem, of: value });
  };
  const stepBy = (steps: number): void => {
    const read = draft ? readNumber(draft.text) : { value };
    if ('problem' in read) return;
    const next = Number((read.value + steps * step).toPrecision(12));
    const { minimum = -Infinity, maximum = Infinity } = limits;
    // At a limit the arrow keys stop; they are no mistake.
    if (offer(Math.min(maximum, Math.max(minimum, next))) === undefined) setDraft(undefined);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const large = event.shiftKey ? 10 : 1;
    const steps = { ArrowUp: large, ArrowDown: -large, PageUp: 10, PageDown: -10 }[event.key];
    if (steps !== undefined) stepBy(steps);
    else if (event.key === 'Escape' && draft) setDraft(undefined);
    else {
      if (event.key === 'Enter') finish();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <TextField
      className={classes(styles.field)}
      value={draft?.text ?? shown}
      onChange={(text) => setDraft({ text, of: value })}
      onBlur={finish}
      isInvalid={draft?.problem !== undefined}
      validationBehavior="aria"
      isDisabled={isDisabled}
    >
      <Label className={classes(styles.label)}>{label}</Label>
      <Input
        className={classes(styles.input)}
        autoComplete="off"
        spellCheck={false}
        title={draft || shown === String(value) ? undefined : String(value)}
        onKeyDown={onKeyDown}
      />
      <FieldError className={classes(styles.problem)}>
        <CircleAlert size={12} aria-hidden />
        <span>{draft?.problem}</span>
      </FieldError>
    </TextField>
  );
}

type Limits = Pick<NumberInputProps, 'minimum' | 'maximum' | 'isWhole' | 'problemOf'>;

function problemWith(value: number, { minimum, maximum, isWhole, problemOf }: Limits): string | undefined {
  if (isWhole && !Number.isInteger(value)) return 'Write a whole number';
  if (minimum !== undefined && value < minimum) return `At least ${fieldText(minimum)}`;
  if (maximum !== undefined && value > maximum) return `At most ${fieldText(maximum)}`;
  return problemOf?.(value);
}
