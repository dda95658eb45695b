/** A shorter secret could be found by trying, offline, from one captured delivery. */
export const MIN_SECRET_BYTES = 24;

/** A longer one adds nothing and only costs. */
const MAX_SECRET_BYTES = 512;

const MIN_DIFFERENT_CHARACTERS = 6;

/** Whether a customer's signing secret is strong enough; the message never repeats it. */
export function checkWebhookSecret(
  secret: string,
): { outcome: 'accepted' } | { outcome: 'refused'; message: string } {
  const bytes = Buffer.byteLength(secret);
  if (bytes < MIN_SECRET_BYTES || bytes > MAX_SECRET_BYTES) {
    return refused(`must be ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes, got ${bytes}`);
  }
  if (!secret.isWellFormed()) return refused('must be valid Unicode');
  if (new Set(secret).size < MIN_DIFFERENT_CHARACTERS) {
    return refused(`must have at least ${MIN_DIFFERENT_CHARACTERS} different characters`);
  }
  return { outcome: 'accepted' };
}

function refused(problem: string): { outcome: 'refused'; message: string } {
  return {
    outcome: 'refused',
    message: `the signing secret ${problem}; make one with: openssl rand -base64 32`,
  };
}
