import { CircleAlert } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { FieldError, Input, Label, TextField } from 'react-aria-components';
import { fieldText, readNumber } from '../../app/words/number-text.ts';
import { classes } from './classes.ts';
import styles from './number-input.module.css';

export interface NumberInputProps {
  readonly label: string;
  readonly value: number;
  /** Called with a new number on Enter, on blur and on arrow keys. */
  readonly onChange: (value: number) => void;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly isWhole?: boolean;
  /** Step of the arrow keys. Page Up, Page Down and Shift take ten steps. */
  readonly step?: number;
  /** Number of significant digits shown. Whole numbers are shown in full. */
  readonly digits?: number;
  /** Returns a message if a number within the limits is unacceptable for another reason. */
  readonly problemOf?: (value: number) => string | undefined;
  readonly isDisabled?: boolean;
}

/** The text being typed, and the problem found when it was committed. */
interface Draft {
  readonly text: string;
  readonly problem?: string;
  /** The value that the draft would replace. The draft is out of date once this value changes. */
  readonly of: number;
}

/**
 * A field for a number. It accepts any finite number in common notations. It keeps other text for correction and says what is wrong.
 * Text that was not edited changes nothing, even if it shows fewer digits than the value has.
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
    // The arrow keys stop at a limit without an error.
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
  if (isWhole && !Number.isInteger(value)) return 'Enter a whole number';
  if (minimum !== undefined && value < minimum) return `At least ${fieldText(minimum)}`;
  if (maximum !== undefined && value > maximum) return `At most ${fieldText(maximum)}`;
  return problemOf?.(value);
}
