import bitshuffle from '../../../../testdata/hdf5/bitshuffle.h5?bytes';
import blosc from '../../../../testdata/hdf5/blosc.h5?bytes';
import lzf from '../../../../testdata/hdf5/lzf.h5?bytes';

/** Files of one dataset whose filter Stria decodes itself. testdata/README.md says what made them. */
export const filteredFiles: Readonly<Record<string, Uint8Array>> = {
  'bitshuffle.h5': bitshuffle,
  'blosc.h5': blosc,
  'lzf.h5': lzf,
};
