/** The primary key of a row. */
export interface RowKey {
  readonly pk: string;
  readonly sk: string;
}

/** A key in one string, to look rows up by. */
export const nameOf = ({ pk, sk }: RowKey): string => `${pk}|${sk}`;

/** A row as DynamoDB returns it: to be parsed by its entity's schema before anything is believed of it. */
export type Row = Readonly<Record<string, unknown>>;

const inWorkspace = (workspaceId: string, sk: string): RowKey => ({ pk: `WS#${workspaceId}`, sk });

/**
 * The names of all rows. Every name carries its workspace, so that no code path can name a row of
 * another tenant; an API key's row, from which the workspace is learned, is the one exception.
 */
export const keys = {
  workspace: (workspaceId: string) => inWorkspace(workspaceId, 'WORKSPACE'),
  usage: (workspaceId: string, period: string) => inWorkspace(workspaceId, `USAGE#${period}`),
  apiKey: (lookup: string): RowKey => ({ pk: `KEY#${lookup}`, sk: 'KEY' }),
  apiKeyOfWorkspace: (workspaceId: string, lookup: string) => inWorkspace(workspaceId, `KEY#${lookup}`),
  channel: (workspaceId: string, channelId: string) => inWorkspace(workspaceId, `CHANNEL#${channelId}`),
  media: (workspaceId: string, mediaId: string) => inWorkspace(workspaceId, `MEDIA#${mediaId}`),
  post: (workspaceId: string, postId: string) => inWorkspace(workspaceId, `POST#${postId}`),
  target: (workspaceId: string, postId: string, channelId: string) =>
    inWorkspace(workspaceId, `POST#${postId}#TARGET#${channelId}`),
  /** Attempts lie outside the post's own range, so that reading a post does not read its history. */
  attempt: (workspaceId: string, postId: string, channelId: string, n: number): RowKey => ({
    pk: `WS#${workspaceId}#ATTEMPTS`,
    sk: `POST#${postId}#TARGET#${channelId}#${String(n).padStart(6, '0')}`,
  }),
  idempotency: (workspaceId: string, hashedKey: string): RowKey => ({
    pk: `WS#${workspaceId}#IDEMPOTENCY`,
    sk: hashedKey,
  }),
} as const;
