import type { CodecOptionName } from '../../../core/codec/codec.ts';
import { chainByName, chainNames, codecs } from '../../../core/codecs/registry.ts';

/** One entry of the codec menu. */
export interface CodecMenuItem {
  /** A value of the command's `--codec`: `auto`, `rle`, `rle+huffman`. */
  readonly key: string;
  readonly label: string;
  readonly hint: string;
}

/** Every codec and chain that can be chosen. */
export function codecMenu(): readonly CodecMenuItem[] {
  return [
    { key: 'auto', label: 'Automatic', hint: 'The best codec for each chunk' },
    ...chainNames().map((name) => {
      const [{ summary }, second] = chainByName(name);
      return { key: name, label: name, hint: second ? `Followed by ${second.name}` : summary };
    }),
  ];
}

/** Whether an option has an effect with the chosen codec. */
export function takesOption(choice: string, option: CodecOptionName): boolean {
  const chosen = choice === 'auto' ? codecs : chainByName(choice);
  return chosen.some(({ options }) => options.includes(option));
}
