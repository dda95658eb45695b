/** What the internet is to a local service under test. */
export interface OutsideWorld {
  /** What names resolve to; all others do not exist. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** The local ports that addresses lead to at port 443. */
  readonly routes: Readonly<Record<string, number>>;
  /** Addresses at which nothing ever answers. */
  readonly silent: readonly string[];
  /** The local port all others lead to, so that a forbidden dial is seen. */
  readonly canary: number;
}

/**
 * The variables of a service process whose functions see that world, and trust an authority of the test's. What they
 * run are the bundles that are shipped: the world is put under them, by a module loaded before each.
 */
export function environmentIn(world: OutsideWorld, authorityFile: string): Record<string, string> {
  const preload = new URL('./outside-world-preload.ts', import.meta.url);
  preload.searchParams.set('world', JSON.stringify(world));
  return { NODE_OPTIONS: `--import ${preload.href}`, NODE_EXTRA_CA_CERTS: authorityFile };
}
