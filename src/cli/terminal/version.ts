import { version as packageVersion } from '../../../package.json';

/** Stria's version, from package.json. */
export const version: string = packageVersion;
