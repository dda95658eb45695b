import { writePosts } from '../test/system/many-posts.ts';
import { onService } from './measured-service.ts';

const COUNT = 10_000;

/** Index entries that were read for each post of a page, and how long the page took. */
export const listReads = () =>
  onService(async ({ service, operator, workspace, call }) => {
    const known = await writePosts(operator, workspace, COUNT, { atOnce: 0.5 });
    const [channel_id = ''] = Object.values(workspace.channels);
    const moment = (index: number) => new Date(known[index]?.createdAtMs ?? 0).toISOString();
    const shapes: readonly (readonly [Record<string, string>, goal: number])[] = [
      [{ status: 'draft' }, 1.05],
      [{ channel_id }, 1.05],
      [{ status: 'draft', channel_id }, 1.5],
      [{ scheduled: 'true' }, 1.05],
      [{ scheduled: 'true', channel_id }, 1.5],
      [{ status: 'posted', channel_id, before: moment(COUNT - 500), after: moment(500) }, 1.5],
    ];
    const rows: Record<string, object> = {};
    for (const [filters, goal] of shapes) {
      for (const limit of ['25', '100']) {
        const startedAt = performance.now();
        const answer = await call('GET', `/posts?${new URLSearchParams({ ...filters, limit })}`);
        const ms = performance.now() - startedAt;
        const { calls } = service.edge.counts.report(answer.headers.get('x-request-id') ?? '');
        const read = calls
          .filter(({ operation }) => operation === 'Query')
          .reduce((sum, { items_read }) => sum + items_read, 0);
        const shown: number = answer.body.data.length;
        rows[`${Object.keys(filters).join(' + ')}, ${limit} a page`] = {
          shown,
          read,
          ratio: Number((read / shown).toFixed(3)),
          goal,
          is_met: read / shown <= goal,
          ms: Math.round(ms),
        };
      }
    }
    return rows;
  });
