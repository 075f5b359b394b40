import { encodeRgbaPng, type RgbaPicture } from '../../../core/io/pictures/rgba-png.ts';
import { faultToData } from '../../../core/shared/errors.ts';
import type { PngAnswer } from './png-encoder.ts';

// Encodes PNGs outside the drawing thread.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<RgbaPicture>) => void;
  postMessage(message: PngAnswer, transfer?: Transferable[]): void;
};

scope.onmessage = ({ data }) => {
  try {
    const png = encodeRgbaPng(data);
    scope.postMessage({ kind: 'png', png }, [png.buffer]);
  } catch (error) {
    scope.postMessage({ kind: 'fault', fault: faultToData(error) });
  }
};
