/** A rectangle of the desktop, in device-independent pixels. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The last position of the window. */
export interface WindowPlace extends Rectangle {
  readonly maximized: boolean;
}

export const smallestWindow = { width: 720, height: 480 } as const;
const firstWindow = { width: 1360, height: 860 } as const;
/** The length of the title bar, in pixels, that must be on a screen so that the window can be dragged. */
const grip = 80;

/**
 * The place for the window: its last position, unless that screen is gone; else centred (without x and y).
 * @param screens the work areas of all screens, the primary first
 */
export function placeWindow(
  last: WindowPlace | undefined,
  screens: readonly Rectangle[],
): { x?: number; y?: number; width: number; height: number } {
  const home = last && screens.find((screen) => holdsTitleBar(screen, last));
  if (last === undefined || home === undefined) return sizeWithin(firstWindow, screens[0]);
  return { x: last.x, y: last.y, ...sizeWithin(last, home) };
}

function holdsTitleBar(screen: Rectangle, window: Rectangle): boolean {
  const left = Math.max(screen.x, window.x);
  const right = Math.min(screen.x + screen.width, window.x + window.width);
  return right - left >= grip && window.y >= screen.y && window.y <= screen.y + screen.height - grip;
}

function sizeWithin(wanted: { width: number; height: number }, screen: Rectangle | undefined): { width: number; height: number } {
  const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(value, high));
  return {
    width: clamp(wanted.width, smallestWindow.width, Math.max(screen?.width ?? wanted.width, smallestWindow.width)),
    height: clamp(wanted.height, smallestWindow.height, Math.max(screen?.height ?? wanted.height, smallestWindow.height)),
  };
}
