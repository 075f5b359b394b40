import { useEffect, useRef } from 'react';
import { formatNumber } from '../app/units.ts';
import type { Viewer } from '../viewer/viewer.ts';
import styles from './readout.module.css';

/** The voxel under the pointer and its exact value, written straight into the page: it changes at pointer rate. */
export function Readout({ viewer }: { readonly viewer: Viewer }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const show = () => {
      if (!place.current) return;
      const { probe, info } = viewer.snapshot();
      place.current.hidden = !probe;
      if (!probe) return;
      const [x, y, z] = probe.voxel;
      const value = formatNumber(probe.value, 7);
      const stored = probe.stored === probe.value || !info ? '' : ` (stored ${formatNumber(probe.stored, 7)})`;
      place.current.textContent = `x ${x}  y ${y}  z ${z}  ·  ${value}${stored}`;
    };
    show();
    return viewer.subscribe(show);
  }, [viewer]);
  return <div ref={place} className={styles.readout} data-testid="probe" hidden />;
}
