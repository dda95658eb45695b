/** What one outbound request may take, phase by phase. Times in milliseconds, sizes in bytes. */
export interface OutboundLimits {
  readonly dnsMs: number;
  readonly connectMs: number;
  /** How many of a name's addresses are tried. */
  readonly maxAddresses: number;
  readonly tlsMs: number;
  /** How long the receiver may accept no byte of the request. */
  readonly uploadStallMs: number;
  /** The slowest average upload, judged once the grace time has passed. */
  readonly minUploadBytesPerSecond: number;
  /** From the last byte of the request to the whole head of the answer. */
  readonly answerMs: number;
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
  /** The whole body of the answer. */
  readonly bodyMs: number;
  /** The longest gap within it. */
  readonly bodyIdleMs: number;
  /** The slowest average download, judged once the grace time has passed. */
  readonly minDownloadBytesPerSecond: number;
  readonly maxBodyBytes: number;
  /** Everything together, name resolution and redirects included. */
  readonly totalMs: number;
}

/** An average rate says nothing before this long. */
export const RATE_GRACE_MS = 30_000;

const KB = 1024;
const MB = 1024 * KB;

const SHARED = {
  dnsMs: 2 * 2_000,
  connectMs: 3_000,
  maxAddresses: 3,
  tlsMs: 5_000,
  maxHeaderBytes: 16 * KB,
  maxHeaders: 100,
} as const;

/** The limits of one webhook attempt: its time grows with its body, up to what a Lambda function has. */
export function webhookLimits(bodyBytes: number): OutboundLimits {
  return {
    ...SHARED,
    uploadStallMs: 20_000,
    minUploadBytesPerSecond: 64 * KB,
    answerMs: 30_000,
    bodyMs: 10_000,
    bodyIdleMs: 10_000,
    minDownloadBytesPerSecond: 0,
    maxBodyBytes: 64 * KB,
    totalMs: Math.min(60_000 + (bodyBytes / MB) * 1_000, 840_000),
  };
}

/** The limits of one fetch of media from a client's URL, up to the plan's size. */
export function mediaFetchLimits(maxBodyBytes: number): OutboundLimits {
  return {
    ...SHARED,
    dnsMs: 2_000,
    uploadStallMs: 15_000,
    minUploadBytesPerSecond: 0,
    answerMs: 15_000,
    bodyMs: 300_000,
    bodyIdleMs: 15_000,
    minDownloadBytesPerSecond: 16 * KB,
    maxBodyBytes,
    totalMs: 300_000,
  };
}

/**
 * What a call to a platform's API is for. `send` is the irreversible one; `probe` only reads; `upload` carries
 * a chunk of a file.
 */
export type PlatformCallKind = 'prepare' | 'send' | 'probe' | 'upload';

const PLATFORM_TOTAL_MS = { prepare: 20_000, send: 60_000, probe: 10_000, upload: 120_000 } as const;

/** The limits of one call to a platform's API. */
export function platformLimits(kind: PlatformCallKind): OutboundLimits {
  const totalMs = PLATFORM_TOTAL_MS[kind];
  return {
    ...SHARED,
    uploadStallMs: 20_000,
    minUploadBytesPerSecond: 0,
    answerMs: totalMs,
    bodyMs: totalMs,
    bodyIdleMs: 10_000,
    minDownloadBytesPerSecond: 0,
    maxBodyBytes: MB,
    totalMs,
  };
}
