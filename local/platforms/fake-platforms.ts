import { fakeFacebook } from './facebook.ts';
import type { FakePlatform, FakeWorld } from './fake-platform.ts';
import { fakeInstagram } from './instagram.ts';
import { fakeLinkedin } from './linkedin.ts';
import { fakeTiktok } from './tiktok.ts';
import { fakeYoutube } from './youtube.ts';

/** All fake platforms, with the states they were left in; a state that no longer fits is begun anew. */
export function fakePlatforms(
  world: FakeWorld,
  states: Readonly<Record<string, object>> = {},
): FakePlatform[] {
  const instagram = fakeInstagram(world);
  const platforms = [
    fakeFacebook(world, instagram),
    instagram,
    fakeTiktok(world),
    fakeYoutube(world),
    fakeLinkedin(world),
  ];
  for (const { name, state } of platforms) Object.assign(state, states[name]);
  return platforms;
}
