import { OPERATIONS } from '../../functions/reference/operations.ts';

/** A place of a request that takes an id of something. */
export interface IdPlace {
  readonly name: string;
  readonly kind: 'post' | 'channel' | 'media';
  /**
   * The request with this id there, and a channel of the caller's where it needs one besides. `{draft}` in its
   * path stands for a draft of the caller's.
   */
  readonly put: (id: string, channel: string) => { path: string; body?: object };
}

/** Ids in bodies and queries, by the operation that takes them. */
const INSIDE: Readonly<Record<string, readonly Omit<IdPlace, 'name'>[]>> = {
  'GET /posts': [{ kind: 'channel', put: (id) => ({ path: `/posts?channel_id=${id}` }) }],
  'POST /posts': inBody('/posts'),
  'POST /drafts': inBody('/drafts'),
  'PATCH /posts/{id}': [
    { kind: 'channel', put: (id) => ({ path: '/posts/{draft}', body: { channels: [{ id }] } }) },
    { kind: 'media', put: (id) => ({ path: '/posts/{draft}', body: { media: [{ id }] } }) },
  ],
};

function inBody(path: string): Omit<IdPlace, 'name'>[] {
  const draft = { caption: 'x' };
  return [
    { kind: 'channel', put: (id) => ({ path, body: { ...draft, channels: [{ id }] } }) },
    {
      kind: 'media',
      put: (id, channel) => ({ path, body: { ...draft, channels: [{ id: channel }], media: [{ id }] } }),
    },
  ];
}

/** Every operation with every id it takes, made from what the operations say of themselves. */
export const ID_PLACES: readonly IdPlace[] = OPERATIONS.flatMap(({ method, path }) => {
  const name = `${method} ${path}`;
  const kind: IdPlace['kind'] = path.startsWith('/media') ? 'media' : 'post';
  const inPath = path.includes('{id}')
    ? [
        {
          name: `${name} {id}`,
          kind,
          put: (id: string) => ({
            path: path.replace('{id}', id),
            ...(method === 'PATCH' && { body: { caption: 'changed' } }),
          }),
        },
      ]
    : [];
  return [...inPath, ...(INSIDE[name] ?? []).map((place) => ({ ...place, name: `${name} ${place.kind}` }))];
});
