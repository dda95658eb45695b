import * as v from 'valibot';
import { EnvText, TableEnv } from '../shared/env.ts';

const Cents = v.pipe(v.string(), v.regex(/^\d+$/, 'must be a whole number of cents'), v.transform(Number));

/** The environment of the function that has a model write captions. */
export const TailorCaptionsEnv = v.object({
  ...TableEnv.entries,
  UPGRADE_URL: EnvText,
  /** An inference profile or a foundation model, by its id. */
  CAPTION_MODEL_ID: EnvText,
  CAPTION_MODEL_REGION: EnvText,
  /** How the model is held to its output's shape. */
  CAPTION_MODEL_OUTPUT: v.picklist(['json_schema', 'tool']),
  CAPTION_INPUT_CENTS_PER_MILLION_TOKENS: Cents,
  CAPTION_OUTPUT_CENTS_PER_MILLION_TOKENS: Cents,
});
