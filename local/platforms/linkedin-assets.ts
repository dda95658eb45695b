import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { type FakeAnswer, type FakeRequest, type FakeWorld, jsonOf } from './fake-platform.ts';
import type { LinkedinState } from './linkedin.ts';
import { FakeRefusal } from './oauth-grants.ts';

/** An image or a video that was announced. */
export interface LinkedinAsset {
  readonly kind: 'images' | 'videos';
  readonly owner: string;
  readonly size: number;
  /** ETags of the parts that came, in the order of the film. */
  readonly parts: (string | null)[];
  /** When it was complete. */
  done_ms?: number;
  failure?: string;
  picture?: string | undefined;
}

const Owner = v.string();
const Initialize = v.object({
  initializeUploadRequest: v.object({ owner: Owner, fileSizeBytes: v.optional(v.number(), 0) }),
});
const Finalize = v.object({
  finalizeUploadRequest: v.object({
    video: v.string(),
    uploadToken: v.string(),
    uploadedPartIds: v.array(v.string()),
  }),
});

/** The size LinkedIn cuts videos into. */
const PART_BYTES = 4 * 1024 * 1024;

/** A refusal as LinkedIn words it. */
export const linkedinRefusal = (
  status: number,
  body: { code?: string; serviceErrorCode?: number; message?: string },
): FakeRefusal => new FakeRefusal({ status, body: { status, message: 'fake', ...body } });

/** Files on their way into posts: announced, uploaded in parts, and taken in over time. */
export function linkedinAssets(world: FakeWorld, state: LinkedinState) {
  const statusOf = ({ done_ms, failure }: LinkedinAsset): string => {
    if (failure !== undefined) return 'PROCESSING_FAILED';
    if (done_ms === undefined) return 'WAITING_UPLOAD';
    return world.clock() < done_ms + world.processingMs ? 'PROCESSING' : 'AVAILABLE';
  };

  const mustBeOf = (owner: string, account: string): void => {
    if (!owner.endsWith(`:5${account}`)) throw linkedinRefusal(403, { code: 'ACCESS_DENIED' });
  };

  function initialize(kind: LinkedinAsset['kind'], account: string, request: FakeRequest): FakeAnswer {
    const read = v.safeParse(Initialize, jsonOf(request));
    if (!read.success) throw linkedinRefusal(400, { message: v.summarize(read.issues) });
    const { owner, fileSizeBytes: size } = read.output.initializeUploadRequest;
    mustBeOf(owner, account);
    const urn = `urn:li:${kind.slice(0, -1)}:C${++state.count}`;
    const count = kind === 'images' ? 1 : Math.ceil(size / PART_BYTES);
    const parts: null[] = Array.from({ length: count }, () => null);
    state.assets[urn] = { kind, owner, size, parts };
    const urlOf = (part: number) => `${world.url}/linkedin/upload/${encodeURIComponent(urn)}/${part}`;
    if (kind === 'images') return { status: 200, body: { value: { uploadUrl: urlOf(0), image: urn } } };
    const uploadInstructions = parts.map((_, part) => ({
      uploadUrl: urlOf(part),
      firstByte: part * PART_BYTES,
      lastByte: Math.min((part + 1) * PART_BYTES, size) - 1,
    }));
    const uploadUrlsExpireAt = world.clock() + 24 * 3_600_000;
    return {
      status: 200,
      body: { value: { video: urn, uploadToken: `token-${urn}`, uploadUrlsExpireAt, uploadInstructions } },
    };
  }

  function finalize(account: string, request: FakeRequest): FakeAnswer {
    const read = v.safeParse(Finalize, jsonOf(request));
    if (!read.success) throw linkedinRefusal(400, { message: v.summarize(read.issues) });
    const { video, uploadToken, uploadedPartIds } = read.output.finalizeUploadRequest;
    const asset = state.assets[video];
    if (!asset || uploadToken !== `token-${video}`) throw linkedinRefusal(400, { code: 'INVALID_URN_ID' });
    mustBeOf(asset.owner, account);
    if (asset.parts.includes(null)) throw linkedinRefusal(400, { code: 'MEDIA_ASSET_WAITING_UPLOAD' });
    // LinkedIn takes any order and scrambles the film; here it shows as a failure.
    if (uploadedPartIds.join() !== asset.parts.join()) asset.failure = 'SCRAMBLED';
    asset.done_ms ??= world.clock();
    return { status: 200 };
  }

  return {
    act(kind: LinkedinAsset['kind'], account: string, request: FakeRequest): FakeAnswer {
      const action = request.query.get('action');
      if (action === 'initializeUpload') return initialize(kind, account, request);
      if (action === 'finalizeUpload' && kind === 'videos') return finalize(account, request);
      throw linkedinRefusal(400, { message: 'action' });
    },

    /** Takes bytes at an address that was given for them. Images need the token; parts of videos must not have it. */
    async take({ path, headers, body, method }: FakeRequest): Promise<FakeAnswer> {
      const [, , urn = '', part = ''] = path.split('/');
      const asset = state.assets[decodeURIComponent(urn)];
      const isSigned = headers.authorization !== undefined;
      if (!asset || method !== 'PUT') return { status: 404 };
      if (isSigned !== (asset.kind === 'images')) return { status: 401 };
      const index = Number(part);
      const size = Math.min(PART_BYTES, asset.size - index * PART_BYTES);
      if (asset.kind === 'videos' && body.length !== size) return { status: 400 };
      const etag = createHash('sha256').update(body).update(`#${index}`).digest('hex').slice(0, 24);
      asset.parts[index] = etag;
      if (asset.kind === 'images') {
        asset.done_ms ??= world.clock();
        asset.picture = await world.pictureOf?.(body);
      }
      return { status: asset.kind === 'images' ? 201 : 200, headers: { etag } };
    },

    /** A member's token may not look at images. */
    show(kind: LinkedinAsset['kind'], urn: string, account: string): FakeAnswer {
      const asset = state.assets[urn];
      if (asset?.kind !== kind) throw linkedinRefusal(404, { message: urn });
      mustBeOf(asset.owner, account);
      const isMember = asset.owner.startsWith('urn:li:person:');
      if (isMember && kind === 'images') throw linkedinRefusal(403, { code: 'ACCESS_DENIED' });
      return {
        status: 200,
        body: { id: urn, status: statusOf(asset), processingFailureReason: asset.failure },
      };
    },

    mustBeAvailable(urn: string, author: string): void {
      const asset = state.assets[urn];
      if (asset?.owner !== author) throw linkedinRefusal(400, { code: 'INVALID_URN_ID' });
      if (statusOf(asset) === 'PROCESSING_FAILED') {
        throw linkedinRefusal(400, { code: 'MEDIA_ASSET_PROCESSING_FAILED' });
      }
      if (statusOf(asset) !== 'AVAILABLE') throw linkedinRefusal(400, { code: 'MEDIA_ASSET_WAITING_UPLOAD' });
    },
  };
}
