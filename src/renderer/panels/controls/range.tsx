import { useEffect, useRef } from 'react';
import { classes } from './classes.ts';
import styles from './range.module.css';

export interface RangeProps {
  readonly label: string;
  readonly minimum: number;
  readonly maximum: number;
  readonly step: number;
  readonly onInput: (value: number) => void;
  /** Reads the value: once at the start, and after each notification from `subscribe`. */
  readonly read: () => number;
  readonly subscribe: (listener: () => void) => () => void;
  /** The value as text, for assistive technology. */
  readonly words?: (value: number) => string;
  readonly className?: string | undefined;
  readonly testId?: string | undefined;
}

/** A slider that follows the viewer without React, since its value changes at pointer rate. */
export function Range({ label, minimum, maximum, step, onInput, read, subscribe, words, className, testId }: RangeProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const show = () => {
      const value = read();
      if (!input.current) return;
      input.current.value = String(value);
      const part = maximum > minimum ? (value - minimum) / (maximum - minimum) : 0;
      input.current.style.setProperty('--part', `${100 * part}%`);
      if (words) input.current.setAttribute('aria-valuetext', words(value));
    };
    show();
    return subscribe(show);
  }, [read, subscribe, words, minimum, maximum]);
  return (
    <input
      ref={input}
      type="range"
      className={classes(styles.range, className)}
      aria-label={label}
      min={minimum}
      max={maximum}
      step={step}
      onInput={(event) => onInput(event.currentTarget.valueAsNumber)}
      data-testid={testId}
    />
  );
}
