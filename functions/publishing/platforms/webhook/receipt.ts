import * as v from 'valibot';

/** What a receiver may say about a post it took. */
export interface Receipt {
  remoteId?: string;
  url?: string;
  warning?: string;
}

const MAX_REMOTE_ID_CODE_POINTS = 512;
const MAX_URL_LENGTH = 2048;

const RemoteId = v.pipe(
  v.string(),
  v.nonEmpty(),
  v.check((text) => [...text].length <= MAX_REMOTE_ID_CODE_POINTS),
);
const WebUrl = v.pipe(
  v.string(),
  v.maxLength(MAX_URL_LENGTH),
  v.check((text) => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)),
);
const Answer = v.object({
  ok: v.optional(v.unknown()),
  remoteId: v.optional(v.unknown()),
  url: v.optional(v.unknown()),
});

/**
 * Reads the body of a successful answer, which may be anything. What is unfit to be stored is left out and
 * named in `warning`; nothing in it turns the success into a failure.
 */
export function readReceipt(body: Buffer | undefined): Receipt {
  const answer = v.safeParse(Answer, parsed(body));
  if (!answer.success) return {};
  const { ok, remoteId, url } = answer.output;
  const warnings: string[] = [];
  const receipt: Receipt = {};
  if (ok === false) warnings.push('your webhook endpoint took the delivery but answered ok: false');
  if (v.is(RemoteId, remoteId)) receipt.remoteId = remoteId;
  else if (remoteId !== undefined && remoteId !== null) {
    warnings.push(
      `the remoteId of the answer was not stored: it must be text of 1 to ${MAX_REMOTE_ID_CODE_POINTS} characters`,
    );
  }
  if (v.is(WebUrl, url)) receipt.url = url;
  else if (url !== undefined && url !== null) {
    warnings.push(
      `the url of the answer was not stored: it must be an http(s) URL of at most ${MAX_URL_LENGTH} characters`,
    );
  }
  if (warnings.length > 0) receipt.warning = warnings.join('; ');
  return receipt;
}

function parsed(body: Buffer | undefined): unknown {
  if (body === undefined || body.byteLength === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined; // not JSON, not UTF-8
    throw error;
  }
}
