import type { indexes } from '../../functions/shared/table/indexes.ts';
import type { HttpRoutes } from '../constructs/http-routes.ts';
import type { Permission } from '../constructs/permission.ts';
import type { FunctionSettings } from '../constructs/service-function.ts';
import type { IndexDefinition, ServiceTable } from '../constructs/service-table.ts';

/** The names of the table's secondary indexes, as functions call them. */
export type IndexName = (typeof indexes)[keyof typeof indexes];

/** What every feature builds on. */
export interface Service {
  readonly settings: FunctionSettings;
  readonly table: ServiceTable<IndexName>;
  readonly routes: HttpRoutes;
}

/** The secondary indexes, by what is looked for in them. Those of posts are in the order of the table itself. */
export const TABLE_INDEXES: Readonly<Record<IndexName, IndexDefinition>> = {
  posts_by_status: { partitionKey: 'posts_in_status', sortKey: 'sk' },
  targets_by_channel: { partitionKey: 'targets_of_channel', sortKey: 'sk' },
  targets_by_channel_and_status: { partitionKey: 'targets_in_status', sortKey: 'sk' },
  scheduled: { partitionKey: 'scheduled_in', sortKey: 'sk' },
  media_by_kind: { partitionKey: 'media_of_kind', sortKey: 'sk', projects: 'all' },
  due: { partitionKey: 'due_shard', sortKey: 'wake_at' },
};

/** All rows of workspaces, which is all but API keys: no worker can read or write those. */
export const WORKSPACE_ROWS = 'WS#';

/** The partitions of the index of all that must still happen, which workspaces share. */
export const DUE_ROWS = 'DUE#';

/** Until when our apps at the platforms may not call; nothing of any workspace. */
export const APP_ROWS = 'APP#';

/** The one thing a request may do to API keys: authenticate and count itself, in one conditional update. */
export const authenticate = (table: Service['table']): Permission => table.write('KEY#', 'UpdateItem');
