import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { ServiceModel } from '../../service-model.ts';
import { AwsError, unknownOperation } from '../aws-error.ts';
import type { EdgeService, Need } from '../call.ts';
import { type Json, objectOf, textOf } from '../json.ts';
import { secretFile } from '../secret-file.ts';
import { jsonAnswer, jsonRefusal, targetOf } from './json-protocol.ts';

const CONTENT_TYPE = 'application/x-amz-json-1.1';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const MAX_PLAINTEXT_BYTES = 4096;

interface Ciphertext {
  readonly keyArn: string;
  readonly iv: Buffer;
  readonly tag: Buffer;
  readonly sealed: Buffer;
}

/**
 * A stand-in for KMS: AES-256-GCM below a root key of the state directory, the encryption context as
 * additional data. A ciphertext names its key, as KMS's own do, so Decrypt may leave KeyId out.
 */
export function kms(model: ServiceModel, stateDirectory: string): EdgeService {
  const root = secretFile(stateDirectory, 'kms-root-key', () => randomBytes(32));
  const arns = new Map(
    model.keys.flatMap(({ logicalId, arn }) =>
      [arn, logicalId, arn.split('/').at(-1) ?? arn].map((id) => [id, arn]),
    ),
  );
  const materialOf = (arn: string) => Buffer.from(hkdfSync('sha256', root, arn, 'local kms', 32));
  const keyArn = (id: string): string => {
    const arn = arns.get(id);
    if (arn === undefined) throw new AwsError('NotFoundException', `Key '${id}' does not exist`);
    return arn;
  };

  const seal = (arn: string, plaintext: Buffer, input: Json): string => {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', materialOf(arn), iv).setAAD(additionalData(input));
    const sealed = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    const name = Buffer.from(arn);
    return Buffer.concat([Buffer.from([1, name.length]), name, iv, cipher.getAuthTag(), sealed]).toString(
      'base64',
    );
  };

  const operations: Readonly<Record<string, (input: Json) => Json>> = {
    Encrypt: (input) => {
      const arn = keyArn(textOf(input.KeyId));
      const plaintext = Buffer.from(textOf(input.Plaintext), 'base64');
      if (plaintext.length < 1 || plaintext.length > MAX_PLAINTEXT_BYTES) {
        throw new AwsError(
          'ValidationException',
          `plaintext must have 1 to ${MAX_PLAINTEXT_BYTES} bytes, got ${plaintext.length}`,
        );
      }
      return {
        CiphertextBlob: seal(arn, plaintext, input),
        KeyId: arn,
        EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
      };
    },
    Decrypt: (input) => {
      const { keyArn: arn, iv, tag, sealed } = parse(input);
      if (input.KeyId !== undefined && keyArn(textOf(input.KeyId)) !== arn) {
        throw new AwsError(
          'IncorrectKeyException',
          'The key ID in the request does not identify a CMK that can perform this operation.',
        );
      }
      try {
        const decipher = createDecipheriv('aes-256-gcm', materialOf(arn), iv)
          .setAAD(additionalData(input))
          .setAuthTag(tag);
        const plaintext = Buffer.concat([decipher.update(sealed), decipher.final()]);
        return {
          Plaintext: plaintext.toString('base64'),
          KeyId: arn,
          EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
        };
      } catch {
        // GCM says only that key, context and bytes do not belong together, and so does KMS.
        throw new AwsError('InvalidCiphertextException', '');
      }
    },
    GenerateDataKey: (input) => {
      const arn = keyArn(textOf(input.KeyId));
      const key = randomBytes(input.KeySpec === 'AES_128' ? 16 : 32);
      return { CiphertextBlob: seal(arn, key, input), Plaintext: key.toString('base64'), KeyId: arn };
    },
  };

  return {
    streams: false,
    throttled: { code: 'ThrottlingException', status: 400 },
    broken: { code: 'KMSInternalException', status: 500 },
    operation: (request) => targetOf(request, 'TrentService.'),
    refusal: jsonRefusal('', CONTENT_TYPE),
    needs: ({ operation, input }) => [
      {
        action: `kms:${operation}`,
        resource: operation === 'Decrypt' ? parse(input).keyArn : keyArn(textOf(input.KeyId)),
        context: contextKeys(input),
      },
    ],
    perform: async ({ operation, input }) => {
      const run = operations[operation];
      if (run === undefined) throw unknownOperation('kms', operation);
      return jsonAnswer(run(input), CONTENT_TYPE);
    },
  };
}

function parse(input: Json): Ciphertext {
  const blob = Buffer.from(textOf(input.CiphertextBlob), 'base64');
  const end = 2 + (blob[1] ?? 0);
  if (blob[0] !== 1 || blob.length < end + IV_BYTES + TAG_BYTES)
    throw new AwsError('InvalidCiphertextException', '');
  const sealedAt = end + IV_BYTES + TAG_BYTES;
  return {
    keyArn: blob.subarray(2, end).toString(),
    iv: blob.subarray(end, end + IV_BYTES),
    tag: blob.subarray(end + IV_BYTES, sealedAt),
    sealed: blob.subarray(sealedAt),
  };
}

/** The context's pairs in one order, so that the same pairs always give the same bytes. */
function additionalData(input: Json): Buffer {
  const pairs = Object.entries(objectOf(input.EncryptionContext)).sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(JSON.stringify(pairs));
}

function contextKeys(input: Json): NonNullable<Need['context']> {
  const pairs = Object.entries(objectOf(input.EncryptionContext));
  return {
    'kms:EncryptionContextKeys': pairs.map(([key]) => key),
    ...Object.fromEntries(pairs.map(([key, value]) => [`kms:EncryptionContext:${key}`, [textOf(value)]])),
  };
}
