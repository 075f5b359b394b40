import type { TransformFormat } from '../../core/transforms/layer-transforms.ts';
import type { App } from './app.ts';
import type { Command } from './command.ts';
import { chosenAlignable } from './state/alignable.ts';
import { orNotice } from './state/or-notice.ts';

/** Commands that move and turn the chosen layer. */
export function alignCommands(app: App): Command[] {
  const onChosen = (id: string, label: string, words: string, run: () => void): Command => ({
    id,
    label,
    words,
    group: 'Layers',
    enabled: (state) => chosenAlignable(state) !== undefined,
    run,
  });
  const saving = (format: TransformFormat, what: string): Command =>
    onChosen(`layer-save-${format}`, `Save the matrix of the chosen layer: ${what}…`, what, () => {
      void orNotice(app.store, () => app.alignment.save(format));
    });
  return [
    {
      ...onChosen('layer-align', 'Align the chosen layer by hand, or stop', 'Align', () => app.alignment.toggle()),
      words: ({ layers }) => (layers.aligning ? 'Done' : 'Align by hand'),
      shortcut: 'A',
    },
    onChosen('layer-center', 'Centre the chosen layer on the volume', 'Centre', () => app.alignment.center()),
    onChosen('layer-match', 'Match the orientation of the chosen layer to the volume', 'Match orientation', () =>
      app.alignment.match(),
    ),
    {
      ...onChosen('layer-reset', 'Reset the selected layer to its position in the file', 'Reset', () => app.alignment.reset()),
      enabled: (state) => chosenAlignable(state)?.look.motion !== undefined,
    },
    onChosen('layer-load-matrix', 'Load a matrix for the chosen layer…', 'Load matrix…', () => {
      void orNotice(app.store, () => app.alignment.loadDialog());
    }),
    saving('itk', 'ITK transform (.tfm)'),
    saving('fsl', 'FSL FLIRT (.mat)'),
    saving('plain', 'plain 4×4 (.txt)'),
  ];
}
