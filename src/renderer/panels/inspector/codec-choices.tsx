import type { CodecOptions, Preference } from '../../../core/codec/codec.ts';
import type { Effort } from '../../app/state/settings.ts';
import { codecMenu, takesOption } from '../../app/words/codec-options.ts';
import { type Option, Select } from '../controls/select.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';

const codecOptions: readonly Option<string>[] = codecMenu();
const preferOptions: readonly Option<Preference>[] = [
  { key: 'balanced', label: 'Balanced', hint: 'Small, and fast to open anywhere' },
  { key: 'size', label: 'Smallest file', hint: 'Scans become about a fifth smaller, but save and open more slowly' },
  { key: 'speed', label: 'Speed', hint: 'Fast to save and open; larger files' },
];
const axisOptions: readonly Option<CodecOptions['axis']>[] = [
  { key: 'auto', label: 'Automatic', hint: 'The axis with the longest runs in each chunk' },
  { key: 'x', label: 'x' },
  { key: 'y', label: 'y' },
  { key: 'z', label: 'z' },
];
const effortOptions: readonly Option<Effort>[] = [
  { key: 'normal', label: 'Normal' },
  { key: 'max', label: 'Maximum', hint: 'Slower; scans and photographs become a few percent smaller' },
];

/** The codec and its options, like `--codec`, `--prefer`, `--axis` and `--effort` of the command. */
export function CodecChoices({ isDisabled = false }: { readonly isDisabled?: boolean }) {
  const app = useApp();
  const { codec, axis, prefer, effort } = useAppState((state) => state.settings);
  return (
    <>
      <Select
        label="Codec"
        options={codecOptions}
        value={codec}
        onChange={(chosen) => app.settings.set({ codec: chosen })}
        isDisabled={isDisabled}
        testId="codec-select"
      />
      {codec === 'auto' && (
        <Select
          label="Prefer"
          options={preferOptions}
          value={prefer}
          onChange={(chosen) => app.settings.set({ prefer: chosen })}
          isDisabled={isDisabled}
          testId="prefer-select"
        />
      )}
      {takesOption(codec, 'axis') && (
        <Select
          label="Runs along"
          options={axisOptions}
          value={axis}
          onChange={(chosen) => app.settings.set({ axis: chosen })}
          isDisabled={isDisabled}
          testId="axis-select"
        />
      )}
      {takesOption(codec, 'effort') && (
        <Select
          label="Effort"
          options={effortOptions}
          value={effort}
          onChange={(chosen) => app.settings.set({ effort: chosen })}
          isDisabled={isDisabled}
          testId="effort-select"
        />
      )}
    </>
  );
}
