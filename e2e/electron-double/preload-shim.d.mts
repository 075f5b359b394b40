export function withPreload(preload: string): string;
