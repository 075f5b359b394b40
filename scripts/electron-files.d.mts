export const electronPackage: string;
export function findElectron(): string | undefined;
