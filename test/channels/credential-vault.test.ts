import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { kmsVault } from '../../functions/channels/credential-vault.ts';

const kms = mockClient(KMSClient);
const vault = kmsVault(new KMSClient({ region: 'eu-central-1' }), 'arn:key');
beforeEach(() => kms.reset());

const owner = { workspaceId: 'ws-1', channelId: 'channel-1' };
const context = { workspace_id: 'ws-1', channel_id: 'channel-1' };
const bytes = (text: string) => Uint8Array.from(Buffer.from(text));

describe('seal', () => {
  it('encrypts for one channel of one workspace', async () => {
    kms.on(EncryptCommand).resolves({ CiphertextBlob: bytes('sealed') });

    const sealed = await vault.seal({ secret: 'é' }, owner);

    expect(Buffer.from(sealed).toString()).toBe('sealed');
    const { input } = kms.commandCalls(EncryptCommand)[0]?.args[0] ?? {};
    expect(input).toMatchObject({ KeyId: 'arn:key', EncryptionContext: context });
    expect(Buffer.from(input?.Plaintext ?? []).toString()).toBe('{"secret":"é"}');
  });

  it('says how much KMS takes, before it is asked', async () => {
    await expect(vault.seal({ secret: 'x'.repeat(4084) }, owner)).rejects.toThrow(
      'under 4096 bytes, got 4097',
    );
    expect(kms.calls()).toHaveLength(0);
  });

  it('does not store what KMS did not encrypt', async () => {
    kms.on(EncryptCommand).resolves({});

    await expect(vault.seal({}, owner)).rejects.toThrow('no ciphertext');
  });
});

describe('open', () => {
  it('decrypts for the same channel of the same workspace', async () => {
    kms
      .on(DecryptCommand, { KeyId: 'arn:key', EncryptionContext: context })
      .resolves({ Plaintext: bytes('{"secret":"é"}') });

    expect(await vault.open(bytes('sealed'), owner)).toEqual({ secret: 'é' });
    await expect(vault.open(bytes('sealed'), { ...owner, workspaceId: 'ws-2' })).rejects.toThrow();
  });

  it('fails when KMS returns nothing', async () => {
    kms.on(DecryptCommand).resolves({});

    await expect(vault.open(bytes('sealed'), owner)).rejects.toThrow('no plaintext');
  });
});
