import { useState } from 'react';
import { Input, SearchField } from 'react-aria-components';
import { displayText } from '../../../core/shared/display-text.ts';
import { searchTags, type VolumeTag } from '../../../core/shared/volume-facts.ts';
import { formatCount } from '../../app/words/units.ts';
import { classes } from '../controls/classes.ts';
import { Fold } from '../controls/fold.tsx';
import styles from './tags-fold.module.css';

/** At most this many tags are shown at once. The search finds the others. */
const mostShown = 200;

/** The file's metadata, with a search. Personal entries are shown with a mark, and never written to a file. */
export function TagsFold({ tags }: { readonly tags: readonly VolumeTag[] }) {
  const [search, setSearch] = useState('');
  const found = searchTags(tags, search);
  const shown = found.slice(0, mostShown);
  return (
    <Fold title="Tags" aside={formatCount(tags.length)} testId="tags">
      <SearchField aria-label="Search tags" value={search} onChange={setSearch}>
        <Input className={classes(styles.search)} placeholder="Search names and values" data-testid="tag-search" />
      </SearchField>
      <dl className={styles.tags} data-testid="tag-list">
        {shown.map(({ id, name, value, isPersonal }) => (
          <div key={`${id} ${name} ${value}`} className={styles.tag}>
            <dt className={styles.name}>
              {displayText(name)}
              {isPersonal && (
                <span className={styles.personal} title="Never written into pictures, sessions or diagnostics">
                  personal
                </span>
              )}
              <span className={styles.id}>{displayText(id)}</span>
            </dt>
            <dd className={styles.value}>{displayText(value)}</dd>
          </div>
        ))}
      </dl>
      {found.length === 0 && <p className={styles.rest}>No matching tag.</p>}
      {found.length > shown.length && (
        <p className={styles.rest}>{formatCount(found.length - shown.length)} more: search for them.</p>
      )}
    </Fold>
  );
}
