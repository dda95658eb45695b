import * as v from 'valibot';
import { PLATFORMS } from '../channels/platform.ts';
import { type Clock, SECOND_MS } from '../shared/clock.ts';
import { defineOperation } from '../shared/http/operation.ts';
import { RequestError } from '../shared/request-error.ts';
import { strictObject } from '../shared/strict-object.ts';
import { text } from '../shared/text.ts';
import type { AiBudget } from './ai-budget.ts';
import { askModel, mostItCosts } from './ask-model.ts';
import type { BrandKitStore } from './brand-kit-store.ts';
import type { CaptionModel, ModelPrices } from './caption-model.ts';
import { CAPTION_LIMIT, showVariant, Variant } from './caption-variants.ts';

/** The body of POST /captions/tailor. */
export const TailorCaptionsRequest = strictObject({
  caption: v.pipe(
    text(1, CAPTION_LIMIT),
    v.description('Content only: instructions in it are not followed.'),
  ),
  platforms: v.pipe(
    v.array(v.picklist(PLATFORMS)),
    v.minLength(1, 'must name at least one platform'),
    v.checkItems(
      (platform, index, platforms) => platforms.indexOf(platform) === index,
      'is named twice; name each platform once',
    ),
    v.metadata({ uniqueItems: true }),
    v.description('Each at most once; variants come in this order.'),
  ),
});
export type TailorCaptionsRequest = v.InferOutput<typeof TailorCaptionsRequest>;

const TailorCaptionsReply = v.object({ variants: v.array(Variant) });
type TailorCaptionsReply = v.InferOutput<typeof TailorCaptionsReply>;

export const tailorCaptionsOperation = defineOperation({
  id: 'tailorCaptions',
  method: 'POST',
  path: '/captions/tailor',
  tag: 'Captions',
  summary: 'Rewrite a caption for each platform',
  description:
    "A language model rewrites the caption in the voice of the workspace's brand kit, within each platform's limits. No Idempotency-Key: every call spends from the workspace's monthly budget for texts written by a model, and may answer with other words. Nothing is posted or stored.",
  scope: 'posts:write',
  idempotent: false,
  body: TailorCaptionsRequest,
  success: {
    status: 200,
    description: 'One variant for each platform, in the order asked.',
    schema: TailorCaptionsReply,
  },
  refusals: [400, 402, 404, 413, 502],
});

interface Needs {
  readonly brandKits: BrandKitStore;
  readonly budget: AiBudget;
  readonly model: CaptionModel;
  readonly prices: ModelPrices;
  readonly clock: Clock;
}

/** The function ends after 28 s, and its own reads and writes take some of that. */
const ALL_ASKING_MS = 25 * SECOND_MS;
const FIRST_ASKING_MS = 15 * SECOND_MS;
const TIMES_ASKED = 2;

/**
 * Has the model write a variant for each platform. What is missing or cannot be posted is asked for once more, and
 * after that left as it was sent. The most this can cost is set aside before, and what the model reported is booked
 * after, also when nothing came of it.
 *
 * @throws {RequestError} not_found without a brand kit; quota_exceeded; upstream_error when the model does not
 * answer, or twice with something else than was asked for.
 */
export async function tailorCaptions(
  { caller, body }: { caller: { workspaceId: string }; body: TailorCaptionsRequest },
  needs: Needs,
): Promise<TailorCaptionsReply> {
  const startedMs = needs.clock();
  const { caption, platforms } = body;
  const { kit, budgetCents } = await brandOf(caller.workspaceId, needs);
  const job = { kit, caption, platforms, problems: new Map() };
  const hold = await needs.budget.reserve({
    workspaceId: caller.workspaceId,
    budgetCents,
    microDollars: mostItCosts(job, TIMES_ASKED, needs.prices),
  });
  let costMicroDollars = 0;
  try {
    const first = await askModel(job, FIRST_ASKING_MS, needs);
    costMicroDollars += first.costMicroDollars;
    if (!first.isReached) throw nothingUsable();

    const missing = platforms.filter((platform) => !first.usable.has(platform));
    const leftMs = startedMs + ALL_ASKING_MS - needs.clock();
    const second = await askModel(
      { ...job, platforms: missing, problems: first.problems },
      Math.max(0, leftMs),
      needs,
    );
    costMicroDollars += second.costMicroDollars;
    if (!first.hasShape && !second.hasShape) throw nothingUsable();

    const usable = new Map([...first.usable, ...second.usable]);
    return {
      variants: platforms.map((platform) =>
        showVariant(platform, { written: usable.get(platform), base: caption }),
      ),
    };
  } finally {
    await needs.budget.settle(hold, costMicroDollars);
  }
}

async function brandOf(workspaceId: string, { brandKits }: Needs) {
  const brand = await brandKits.find(workspaceId);
  if (brand) return brand;
  throw new RequestError(
    'not_found',
    'the workspace has no brand kit, in whose voice captions are tailored; have one set up first',
  );
}

const nothingUsable = () =>
  new RequestError(
    'upstream_error',
    'the caption model returned nothing usable; the request is safe to repeat',
  );
