import { randomBytes } from 'node:crypto';

/** Makes the id of an upload: 128 random bits, in hex. */
export const newUploadId = (): string => randomBytes(16).toString('hex');
