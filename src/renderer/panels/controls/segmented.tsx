import type { ReactNode } from 'react';
import { ToggleButton, ToggleButtonGroup, TooltipTrigger } from 'react-aria-components';
import { Tip } from './button.tsx';
import { classes } from './classes.ts';
import styles from './segmented.module.css';

export interface Segment<Key extends string> {
  readonly key: Key;
  readonly label: string;
  /** Shown in place of the label; the label becomes the tooltip. */
  readonly icon?: ReactNode;
  readonly shortcut?: string | undefined;
  readonly testId?: string;
}

export interface SegmentedProps<Key extends string> {
  readonly label: string;
  readonly segments: readonly Segment<Key>[];
  readonly value: Key;
  readonly onChange: (key: Key) => void;
  readonly isDisabled?: boolean;
  /** Arranges segments in rows of three if they do not fit side by side. */
  readonly isGrid?: boolean;
}

/** A choice among a few options, shown side by side. */
export function Segmented<Key extends string>({
  label,
  segments,
  value,
  onChange,
  isDisabled = false,
  isGrid = false,
}: SegmentedProps<Key>) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      className={classes(styles.group, isGrid && styles.grid)}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const chosen = segments.find((segment) => keys.has(segment.key));
        if (chosen) onChange(chosen.key);
      }}
      isDisabled={isDisabled}
    >
      {segments.map((segment) => {
        const button = (
          <ToggleButton
            key={segment.key}
            id={segment.key}
            className={classes(styles.segment, segment.icon !== undefined && styles.withIcon)}
            data-testid={segment.testId}
            {...(segment.icon !== undefined && { 'aria-label': segment.label })}
          >
            {segment.icon ?? segment.label}
          </ToggleButton>
        );
        return segment.icon === undefined ? (
          button
        ) : (
          <TooltipTrigger key={segment.key} delay={500} closeDelay={0}>
            {button}
            <Tip label={segment.label} shortcut={segment.shortcut} />
          </TooltipTrigger>
        );
      })}
    </ToggleButtonGroup>
  );
}
