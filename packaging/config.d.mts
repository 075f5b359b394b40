import type { Configuration } from 'electron-builder';

export function mainFiles(start?: string): string[];
export function packageConfig(options?: {
  readonly electronDist?: string;
  readonly signed?: { readonly mac: boolean; readonly notarize: boolean };
  readonly updateUrl?: string | undefined;
}): Promise<Configuration>;
