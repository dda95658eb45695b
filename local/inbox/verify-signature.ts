import { createHmac, type Hmac, timingSafeEqual } from 'node:crypto';

/**
 * The secrets a delivery to this path may be signed with. `isFresh` asks for those connected since the last
 * time, as another process may have added a channel.
 */
export type SecretsOf = (path: string, isFresh: boolean) => Promise<readonly string[]>;

/** Checks a signature over a body that passes by. */
export interface SignatureCheck {
  update(chunk: Buffer): void;
  isValid(): Promise<boolean>;
}

/** A body up to this size is kept, so that it can be checked against secrets learned after it came. */
const KEPT_BODY_BYTES = 16 * 1024 * 1024;

/** Starts a check of `sha256=<hex HMAC-SHA256 of the exact body>`. */
export async function checkSignature(
  header: string | undefined,
  path: string,
  secretsOf: SecretsOf,
): Promise<SignatureCheck> {
  const running = (await secretsOf(path, false)).map((secret) => createHmac('sha256', secret));
  const kept: Buffer[] = [];
  let sizeBytes = 0;
  return {
    update: (chunk) => {
      for (const hmac of running) hmac.update(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes <= KEPT_BODY_BYTES) kept.push(chunk);
      else kept.length = 0;
    },
    isValid: async () => {
      if (header === undefined) return false;
      if (running.some((hmac) => isSignature(header, hmac))) return true;
      if (sizeBytes > KEPT_BODY_BYTES) return false;
      const body = Buffer.concat(kept);
      const secrets = await secretsOf(path, true);
      return secrets.some((secret) => isSignature(header, createHmac('sha256', secret).update(body)));
    },
  };
}

function isSignature(header: string, hmac: Hmac): boolean {
  const expected = Buffer.from(`sha256=${hmac.digest('hex')}`);
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
