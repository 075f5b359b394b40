import type { CodecOptions, Preference } from '../../../core/codec/codec.ts';
import { chainByName, chainNames } from '../../../core/codecs/registry.ts';
import type { Effort } from '../../app/state/settings.ts';
import { type Option, Select } from '../controls/select.tsx';
import { useApp, useAppState } from '../hooks/use-app.ts';

const codecOptions: readonly Option<string>[] = [
  { key: 'auto', label: 'Automatic', hint: 'What fits each chunk best' },
  ...chainNames().map((name) => {
    const [{ summary }, second] = chainByName(name);
    return { key: name, label: name, hint: second ? `${second.name} behind it` : summary };
  }),
];
const preferOptions: readonly Option<Preference>[] = [
  { key: 'balanced', label: 'Balanced', hint: 'Small, unless a faster codec costs little of it' },
  { key: 'size', label: 'Size', hint: 'The smallest, however long it takes' },
  { key: 'speed', label: 'Speed', hint: 'Fast to encode and to decode' },
];
const axisOptions: readonly Option<CodecOptions['axis']>[] = [
  { key: 'auto', label: 'Automatic', hint: 'The longest runs, chunk by chunk' },
  { key: 'x', label: 'x' },
  { key: 'y', label: 'y' },
  { key: 'z', label: 'z' },
];
const effortOptions: readonly Option<Effort>[] = [
  { key: 'normal', label: 'Normal' },
  { key: 'max', label: 'Greatest', hint: 'Scans and photographs a few percent smaller, and slower' },
];

/** Which of the options mean something to a choice of codecs. */
function optionsOf(codec: string) {
  const names = codec.split('+');
  const has = (...wanted: readonly string[]) => codec === 'auto' || wanted.some((name) => names.includes(name));
  return { hasPreference: codec === 'auto', hasAxis: has('rle', 'parle'), hasEffort: has('rice', 'predict') };
}

/** The codec, and what is to be said of it: the command's `--codec`, `--prefer`, `--axis` and `--effort`. */
export function CodecChoices({ isDisabled = false }: { readonly isDisabled?: boolean }) {
  const app = useApp();
  const { codec, axis, prefer, effort } = useAppState((state) => state.settings);
  const { hasPreference, hasAxis, hasEffort } = optionsOf(codec);
  return (
    <>
      <Select
        label="Codec"
        options={codecOptions}
        value={codec}
        onChange={(chosen) => app.set({ codec: chosen })}
        isDisabled={isDisabled}
        testId="codec-select"
      />
      {hasPreference && (
        <Select
          label="Prefer"
          options={preferOptions}
          value={prefer}
          onChange={(chosen) => app.set({ prefer: chosen })}
          isDisabled={isDisabled}
          testId="prefer-select"
        />
      )}
      {hasAxis && (
        <Select
          label="Runs along"
          options={axisOptions}
          value={axis}
          onChange={(chosen) => app.set({ axis: chosen })}
          isDisabled={isDisabled}
          testId="axis-select"
        />
      )}
      {hasEffort && (
        <Select
          label="Effort"
          options={effortOptions}
          value={effort}
          onChange={(chosen) => app.set({ effort: chosen })}
          isDisabled={isDisabled}
          testId="effort-select"
        />
      )}
    </>
  );
}
