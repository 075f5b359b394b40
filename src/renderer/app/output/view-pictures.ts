import { StriaError, toStriaError } from '../../../core/shared/errors.ts';
import {
  checkPictureSize,
  joinPictures,
  layoutCells,
  type PictureRequest,
  type ViewPicture,
} from '../../viewer/model/picture.ts';
import type { Layout, SliceAxis, ViewName } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { layoutGap, outputSize, type PictureOptions, shownSize } from '../state/output-options.ts';
import { numberOf, timeWords } from '../words/counting.ts';
import { formatValue } from '../words/value-words.ts';

/** What a picture depends on besides its options. */
export interface PictureScene {
  readonly viewer: Viewer;
  readonly layout: Layout;
  readonly sliceAxis: SliceAxis;
  /** Physical pixels per CSS pixel of the screen. */
  readonly screenRatio: number;
}

/** Lines between the views of a layout, as in the window. */
const lines = { screen: [38, 41, 48, 255], white: [205, 208, 214, 255], transparent: [0, 0, 0, 0] } as const;

/** Width and height in pixels of the picture, and picture pixels per CSS pixel of the screen. */
export type PictureSize = Pick<PictureRequest, 'width' | 'height' | 'pixelRatio'>;

/** The size of a picture of the window as it is now; undefined if its view is not visible. */
export function plannedSize(options: PictureOptions, { viewer, layout, screenRatio }: PictureScene): PictureSize | undefined {
  const shown = shownSize(options.view, layout, viewer.views.shownSizes());
  return shown && outputSize(options, shown, screenRatio);
}

/** A message if such a picture cannot be drawn; otherwise undefined. */
export function sizeProblem(options: PictureOptions, scene: PictureScene): string | undefined {
  const size = plannedSize(options, scene);
  if (!size) return 'The selection is not shown';
  try {
    checkPictureSize(size.width, size.height, scene.viewer.pictures.longestEdge);
    return undefined;
  } catch (error) {
    const { message } = toStriaError(error);
    return message.charAt(0).toUpperCase() + message.slice(1);
  }
}

/**
 * Draws a picture of the visible views.
 * @param change changes to the state on screen
 * @param size the picture's size; a movie fixes it for all frames, because the window may change meanwhile
 * @throws StriaError `invalid-input` if the view is not visible, `limit-too-small`, `aborted`, `device-lost`
 */
export async function takePicture(
  options: PictureOptions,
  scene: PictureScene,
  change: Pick<PictureRequest, 'turn' | 'state' | 'signal'> = {},
  size = plannedSize(options, scene),
): Promise<ViewPicture> {
  const { viewer, layout, sliceAxis } = scene;
  const { view, isAnnotated, background } = options;
  if (!size) throw new StriaError('invalid-input', `the ${view} view is not visible`);
  checkPictureSize(size.width, size.height, viewer.pictures.longestEdge);
  const take = async (name: ViewName, width: number, height: number): Promise<ViewPicture> => {
    const caption = name === '3d' || name === 'oblique' || !isAnnotated ? undefined : await captionOf(viewer, name, change.state);
    return viewer.pictures.take(name, {
      ...change,
      width,
      height,
      pixelRatio: size.pixelRatio,
      isAnnotated,
      background,
      caption,
    });
  };
  if (view !== 'layout') return take(view, size.width, size.height);
  const gap = Math.max(1, Math.round(layoutGap * size.pixelRatio));
  const parts = [];
  for (const cell of layoutCells(layout, sliceAxis, size.width, size.height, gap)) {
    parts.push({ cell, picture: await take(cell.view, cell.width, cell.height) });
  }
  return joinPictures(size, lines[background], parts);
}

/** The slice's position, and the value at the crosshair: `z 41 · 812`. */
async function captionOf(viewer: Viewer, axis: SliceAxis, change: PictureRequest['state']): Promise<string> {
  const { state, info } = viewer.snapshot();
  const { crosshair, timePoint } = { ...state, ...change };
  const stored = await viewer.content.storedAt(crosshair, timePoint);
  const place = `${axis} ${numberOf(crosshair['xyz'.indexOf(axis)] ?? 0)}`;
  const words = info ? timeWords(info, timePoint) : '';
  const time = words === '' ? '' : ` · ${words}`;
  return info ? `${place}${time} · ${formatValue(stored, info)}` : `${place}${time}`;
}
