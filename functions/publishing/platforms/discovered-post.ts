/** A post that is on a channel whoever published it. */
export interface DiscoveredPost {
  readonly externalId: string;
  /** Other ids the platform knows it by, such as that of its video. */
  readonly otherIds?: readonly string[];
  readonly url: string | null;
  readonly text: string;
  readonly publishedAtMs: number;
}

/**
 * The newest posts of the account that credentials are for, at most so many.
 *
 * @throws {Error} when the platform does not answer with them, saying why.
 */
export type RecentPosts = (credentials: unknown, limit: number) => Promise<readonly DiscoveredPost[]>;
