/** Starts Xvfb; rejects with an error whose message says what Xvfb did. */
export function startVirtualDisplay(): Promise<{ readonly display: string; stop(): void }>;
