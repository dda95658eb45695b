import type { ShownMedia, ShownPost } from './fake-platform.ts';

/** A page of what has been published where, newest first, with pictures. */
export function platformsPage(posts: readonly ShownPost[]): string {
  const shown = posts.toReversed().map(postOf).join('\n');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Published on the fake platforms</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
  article { border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: .5rem; padding: 1rem; margin: 1rem 0 }
  article:target { outline: 3px solid Highlight }
  header { display: flex; gap: 1rem; font-size: .875rem; opacity: .75 }
  p { white-space: pre-wrap; overflow-wrap: anywhere }
  .media { display: flex; flex-wrap: wrap; gap: .5rem }
  img, video { max-width: 100%; max-height: 16rem; border-radius: .25rem }
  pre { font-size: .8rem; overflow-x: auto }
</style>
<h1>Published on the fake platforms</h1>
${shown || '<p>Nothing yet. Publish a post to a channel of the first workspace.</p>'}
`;
}

function postOf(post: ShownPost): string {
  const details =
    Object.keys(post.details ?? {}).length > 0 ? JSON.stringify(post.details, undefined, 1) : '';
  return `<article id="${escaped(`${post.platform}-${post.id}`)}">
<header><strong>${escaped(post.platform)}</strong> <span>${escaped(post.kind)}</span> <span>account ${escaped(post.account)}</span> <time>${escaped(post.published_at)}</time></header>
<p>${escaped(post.text)}</p>
<div class="media">${post.media.map(mediaOf).join('')}</div>
${details && `<pre>${escaped(details)}</pre>`}
</article>`;
}

function mediaOf({ kind, url, alt_text = '' }: ShownMedia): string {
  if (url === null) return `<span>(${kind}, uploaded)</span>`;
  const source = escaped(url);
  return kind === 'image'
    ? `<img src="${source}" alt="${escaped(alt_text)}">`
    : `<video src="${source}" controls preload="metadata"></video>`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
