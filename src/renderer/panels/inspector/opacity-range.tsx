import { useCallback } from 'react';
import type { AppState } from '../../app/state/store.ts';
import { Range } from '../controls/range.tsx';
import { useApp } from '../hooks/use-app.ts';

interface Props {
  /** The name of the layer or volume. */
  readonly name: string;
  /** Reads the opacity, 0…1, from the state. Must be the same function in every render. */
  readonly read: (state: AppState) => number;
  readonly onInput: (opacity: number) => void;
  readonly className?: string | undefined;
  readonly testId?: string;
}

/** The opacity of a layer, or of the volume below the layers. */
export function OpacityRange({ name, read, onInput, className, testId }: Props) {
  const { store } = useApp();
  const readNow = useCallback(() => read(store.getState()), [read, store]);
  return (
    <Range
      label={`Opacity of ${name}`}
      minimum={0}
      maximum={1}
      step={0.01}
      read={readNow}
      subscribe={store.subscribe}
      words={percent}
      onInput={onInput}
      className={className}
      testId={testId}
    />
  );
}

/** `50 %` for 0.5. */
export function percent(opacity: number): string {
  return `${Math.round(100 * opacity)} %`;
}

/** The opacity of the open volume. */
export function baseOpacity({ layers }: AppState): number {
  return layers.stack.base.opacity;
}
