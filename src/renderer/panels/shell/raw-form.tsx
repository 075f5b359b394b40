import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { RawLayout } from '../../../core/io/common/volume-reader.ts';
import { displayText } from '../../../core/shared/display-text.ts';
import { type RawType, rawTypes } from '../../../core/shared/stored-voxels.ts';
import type { Endian } from '../../../core/shared/volume.ts';
import { checkLayout } from '../../app/loading/raw-layout.ts';
import { formatBytes, formatCount, formatDims, formatType } from '../../app/words/units.ts';
import type { HostFile } from '../../host/host.ts';
import { Button } from '../controls/button.tsx';
import { CommandButton } from '../controls/command-button.tsx';
import { NumberInput } from '../controls/number-input.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { Select } from '../controls/select.tsx';
import { useApp } from '../hooks/use-app.ts';
import styles from './raw-form.module.css';

const blank: RawLayout = { dims: [256, 256, 256, 1], type: 'u8', endian: 'little', offset: 0 };
const axes = ['x', 'y', 'z', 't'] as const;

/** Asks for the layout of a raw file, and checks it against the file's size while the user types. */
export function RawForm({ file, suggestions }: { readonly file: HostFile; readonly suggestions: readonly RawLayout[] }) {
  const app = useApp();
  const [layout, setLayout] = useState<RawLayout>(suggestions[0] ?? blank);
  const check = checkLayout(layout, file.size);
  const change = (part: Partial<RawLayout>) => setLayout((before) => ({ ...before, ...part }));
  return (
    <main className={styles.place}>
      <div className={styles.card} data-testid="raw-form">
        <div>
          <h1 className={styles.title}>{displayText(file.name)}</h1>
          <p className={styles.lead}>
            {formatBytes(file.size)} ({formatCount(file.size)} bytes) without a header. Enter the layout of the voxels.
          </p>
        </div>
        {suggestions.length > 0 && (
          <fieldset className={styles.suggestions} aria-label="Layouts that fit">
            {suggestions.map((suggestion) => (
              <Button key={`${suggestion.dims} ${suggestion.type}`} onPress={() => setLayout(suggestion)}>
                {formatDims(suggestion.dims)} · {suggestion.type}
              </Button>
            ))}
          </fieldset>
        )}
        <div className={styles.dims}>
          {axes.map((axis, index) => (
            <NumberInput
              key={axis}
              label={axis === 't' ? 'Time points' : axis}
              value={layout.dims[index] ?? 1}
              minimum={1}
              isWhole
              onChange={(length) =>
                change({ dims: layout.dims.map((old, at) => (at === index ? length : old)) as unknown as RawLayout['dims'] })
              }
            />
          ))}
        </div>
        <Select<RawType>
          label="Element type"
          value={layout.type}
          onChange={(type) => change({ type })}
          options={rawTypes.map((type) => ({ key: type, label: type, hint: formatType(type) }))}
        />
        <div className={styles.row}>
          <span>Byte order</span>
          <Segmented<Endian>
            label="Byte order"
            value={layout.endian ?? 'little'}
            onChange={(endian) => change({ endian })}
            segments={[
              { key: 'little', label: 'Little-endian' },
              { key: 'big', label: 'Big-endian' },
            ]}
          />
        </div>
        <NumberInput
          label="Offset of the first voxel, bytes"
          value={layout.offset ?? 0}
          minimum={0}
          isWhole
          onChange={(offset) => change({ offset })}
        />
        <p className={styles.check} data-state={check.state} role="status">
          {check.state === 'fits' && <CircleCheck size={14} aria-hidden />}
          {check.state === 'shorter' && <TriangleAlert size={14} aria-hidden />}
          {check.state === 'wrong' && <CircleAlert size={14} aria-hidden />}
          {check.state === 'fits' ? 'Matches the file size exactly.' : check.words}
        </p>
        <div className={styles.actions}>
          <CommandButton id="close" kind="quiet" />
          <Button kind="primary" isDisabled={check.state === 'wrong'} onPress={() => app.opener.openRaw(file, layout)}>
            Open
          </Button>
        </div>
      </div>
    </main>
  );
}
