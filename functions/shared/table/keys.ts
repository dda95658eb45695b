/** The primary key of a row. */
export interface RowKey {
  readonly pk: string;
  readonly sk: string;
}

/** A key in one string, to look rows up by. */
export const nameOf = ({ pk, sk }: RowKey): string => `${pk}|${sk}`;

/** The largest sort key before one that is not its continuation either: BETWEEN includes its bounds. */
export const below = (sk: string): string => {
  const end = sk.charCodeAt(sk.length - 1) - 1;
  return `${sk.slice(0, -1)}${String.fromCharCode(end)}\u{10FFFF}`;
};

/** A row as DynamoDB returns it: to be parsed by its entity's schema before anything is believed of it. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows that were read, by key. */
export type Found = (key: RowKey) => Row | undefined;

const inWorkspace = (workspaceId: string, sk: string): RowKey => ({ pk: `WS#${workspaceId}`, sk });

/**
 * The names of all rows. Every name carries its workspace, so that no code path can name a row of
 * another tenant; an API key's row, from which the workspace is learned, is the one exception.
 */
export const keys = {
  workspace: (workspaceId: string) => inWorkspace(workspaceId, 'WORKSPACE'),
  brandKit: (workspaceId: string) => inWorkspace(workspaceId, 'BRAND_KIT'),
  usage: (workspaceId: string, period: string) => inWorkspace(workspaceId, `USAGE#${period}`),
  /** Named by its secret's hash too: a wrong secret finds as little as an unknown key, and takes no longer to. */
  apiKey: (lookup: string, secretHash: string): RowKey => ({
    pk: `KEY#${lookup}`,
    sk: `SECRET#${secretHash}`,
  }),
  apiKeyOfWorkspace: (workspaceId: string, lookup: string) => inWorkspace(workspaceId, `KEY#${lookup}`),
  channel: (workspaceId: string, channelId: string) => inWorkspace(workspaceId, `CHANNEL#${channelId}`),
  /** What is remembered of a webhook channel's endpoint while it is unwell. */
  endpoint: (workspaceId: string, channelId: string) => inWorkspace(workspaceId, `ENDPOINT#${channelId}`),
  media: (workspaceId: string, mediaId: string) => inWorkspace(workspaceId, `MEDIA#${mediaId}`),
  upload: (workspaceId: string, uploadId: string) => inWorkspace(workspaceId, `UPLOAD#${uploadId}`),
  post: (workspaceId: string, postId: string) => inWorkspace(workspaceId, `POST#${postId}`),
  target: (workspaceId: string, postId: string, channelId: string) =>
    inWorkspace(workspaceId, `POST#${postId}#TARGET#${channelId}`),
  /** Attempts lie outside the post's own range, so that reading a post does not read its history. */
  attempt: (workspaceId: string, postId: string, channelId: string, n: number): RowKey => ({
    pk: `WS#${workspaceId}#ATTEMPTS`,
    sk: `POST#${postId}#TARGET#${channelId}#${String(n).padStart(6, '0')}`,
  }),
  /** What follows a post that is out, by its kind; outside the post's own range like its attempts. */
  followUp: (workspaceId: string, postId: string, channelId: string, kind: string): RowKey => ({
    pk: `WS#${workspaceId}#FOLLOW_UPS`,
    sk: `POST#${postId}#TARGET#${channelId}#${kind}`,
  }),
  /** Our app at a platform, which serves all workspaces: until when it may not call. Holds nothing of theirs. */
  app: (name: string): RowKey => ({ pk: `APP#${name}`, sk: 'APP' }),
  idempotency: (workspaceId: string, hashedKey: string): RowKey => ({
    pk: `WS#${workspaceId}#IDEMPOTENCY`,
    sk: hashedKey,
  }),
} as const;
