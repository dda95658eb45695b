import * as v from 'valibot';

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

/** Page size: 1 to 100; anything else, being only a wish, falls back to 25. */
export const Limit = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => {
    const limit = /^\d{1,3}$/.test(text) ? Number(text) : DEFAULT_LIMIT;
    return limit >= 1 && limit <= MAX_LIMIT ? limit : DEFAULT_LIMIT;
  }),
  v.metadata({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
);

/** The envelope of a page of a list. */
export const pageOf = <const Item extends v.GenericSchema>(item: Item) =>
  v.object({
    data: v.pipe(v.array(item), v.description('Newest first.')),
    has_more: v.boolean(),
    next_cursor: v.pipe(v.nullable(v.string()), v.description('Null when has_more is false.')),
  });

/** One page: what a list endpoint answers. */
export interface Page<Item> {
  readonly data: Item[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}
