import { apiCosts } from './api-costs.ts';
import { draftThroughput } from './draft-throughput.ts';
import { fetchMemory } from './fetch-memory.ts';
import { formUpload } from './form-upload.ts';
import { importTimes } from './import-times.ts';
import { listReads } from './list-reads.ts';
import { publishLateness } from './publish-lateness.ts';
import { thumbnails } from './thumbnails.ts';

/** What is measured, by name; each gives rows to print. */
const BENCHES: Readonly<Record<string, { readonly what: string; readonly run: () => Promise<object> }>> = {
  'api-costs': {
    what: 'AWS calls and capacity units of each request, authentication included',
    run: apiCosts,
  },
  drafts: { what: 'POST /drafts against the same calls made with the SDK', run: draftThroughput },
  lists: { what: 'index entries read for each post shown, of 10,000 posts', run: listReads },
  forms: { what: 'a form of 15.9 MB against a bare PutObject of the same bytes', run: formUpload },
  thumbnails: { what: 'three thumbnails of 12 megapixels against one resize', run: thumbnails },
  'fetch-memory': { what: 'memory over idle while fetch-media takes a film', run: fetchMemory },
  imports: { what: 'milliseconds to load each bundle', run: importTimes },
  lateness: { what: 'milliseconds from scheduled_for to the delivery', run: publishLateness },
};

/** `npm run bench`, or `npm run bench -- drafts imports` for some of them. */
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in BENCHES));
if (unknown.length > 0)
  throw new Error(`no bench ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}`);
for (const name of asked.length > 0 ? asked : Object.keys(BENCHES)) {
  const bench = BENCHES[name];
  console.log(`\n${name}: ${bench?.what}`);
  console.table(await bench?.run());
}
