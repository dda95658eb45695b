import * as v from 'valibot';

const SeededChannel = v.object({ id: v.string(), platform: v.string(), display_name: v.string() });

/** A workspace that is there from the start, with keys to use it. */
export const SeededWorkspace = v.object({
  id: v.string(),
  name: v.string(),
  api_keys: v.object({ full: v.string(), read_only: v.string() }),
  channels: v.array(SeededChannel),
});
export type SeededWorkspace = v.InferOutput<typeof SeededWorkspace>;

/** What `service.json` tells clients of the local service: where it is, and who they may be. */
export const ServiceFile = v.object({
  base_url: v.string(),
  media_url: v.string(),
  inbox_url: v.string(),
  /** The fake platforms: a page, and `posts`, `behaviour` below it. */
  platforms_url: v.string(),
  /** The AWS edge, whose control plane lies below `/__edge/`. */
  edge_url: v.string(),
  workspaces: v.array(SeededWorkspace),
});
export type ServiceFile = v.InferOutput<typeof ServiceFile>;
