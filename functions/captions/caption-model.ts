/** What a model is asked: what it must do, what with, and how long its answer may be. */
export interface ModelRequest {
  readonly system: string;
  readonly user: readonly string[];
  readonly maxOutputTokens: number;
}

/** What an answer took, as the model reports it. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * How a call ended. `value` is the answer as parsed JSON, undefined where it was none; nothing of its shape is
 * certain. A call that failed reports no usage, and is not billed to anyone.
 */
export type ModelReply =
  | { readonly outcome: 'answered'; readonly value: unknown; readonly usage: TokenUsage }
  | { readonly outcome: 'failed'; readonly reason: string };

/** A model that writes captions. A call ends within the time given, whatever happens. */
export type CaptionModel = (request: ModelRequest, withinMs: number) => Promise<ModelReply>;

/** What a model costs. A dollar for a million tokens is a millionth of a dollar for a token. */
export interface ModelPrices {
  readonly inputCentsPerMillionTokens: number;
  readonly outputCentsPerMillionTokens: number;
}

/** The price of a call in millionths of a dollar, in whole ones, never below the true price. */
export const costOf = ({ inputTokens, outputTokens }: TokenUsage, prices: ModelPrices): number =>
  Math.ceil(
    (inputTokens * prices.inputCentsPerMillionTokens + outputTokens * prices.outputCentsPerMillionTokens) /
      100,
  );

/** What the output format and the messages' frames add to the texts of a request. */
const FRAME_TOKENS = 1500;

/** The most a request can use: a token stands for at least one byte. */
export const mostTokens = ({ system, user, maxOutputTokens }: ModelRequest): TokenUsage => ({
  inputTokens: Buffer.byteLength(system + user.join('')) + FRAME_TOKENS,
  outputTokens: maxOutputTokens,
});
