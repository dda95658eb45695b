import { DecryptCommand, EncryptCommand, type KMSClient } from '@aws-sdk/client-kms';

/** Whose credentials: a ciphertext opens only for the very workspace and channel it was sealed for. */
export interface CredentialOwner {
  readonly workspaceId: string;
  readonly channelId: string;
}

/** Seals and opens the credentials of channels. Plain credentials live only in the memory of their user. */
export interface CredentialVault {
  seal(credentials: unknown, owner: CredentialOwner): Promise<Uint8Array<ArrayBuffer>>;
  /** @throws when the ciphertext belongs to another owner. */
  open(sealed: Uint8Array, owner: CredentialOwner): Promise<unknown>;
}

/** KMS encrypts at most this many bytes directly (KMS API reference, Encrypt). */
const MAX_PLAINTEXT_BYTES = 4096;

const contextOf = ({ workspaceId, channelId }: CredentialOwner) => ({
  workspace_id: workspaceId,
  channel_id: channelId,
});

/** A vault over one KMS key; workspace and channel are its encryption context, so they are logged and enforced. */
export function kmsVault(client: KMSClient, keyArn: string): CredentialVault {
  return {
    async seal(credentials, owner) {
      const plaintext = Buffer.from(JSON.stringify(credentials), 'utf8');
      if (plaintext.length > MAX_PLAINTEXT_BYTES) {
        throw new Error(`credentials must be under ${MAX_PLAINTEXT_BYTES} bytes, got ${plaintext.length}`);
      }
      const { CiphertextBlob } = await client.send(
        new EncryptCommand({ KeyId: keyArn, Plaintext: plaintext, EncryptionContext: contextOf(owner) }),
      );
      if (!CiphertextBlob) throw new Error('KMS returned no ciphertext');
      return new Uint8Array(CiphertextBlob);
    },

    async open(sealed, owner) {
      const { Plaintext } = await client.send(
        new DecryptCommand({ KeyId: keyArn, CiphertextBlob: sealed, EncryptionContext: contextOf(owner) }),
      );
      if (!Plaintext) throw new Error('KMS returned no plaintext');
      return JSON.parse(Buffer.from(Plaintext).toString('utf8'));
    },
  };
}
