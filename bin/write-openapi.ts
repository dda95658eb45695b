import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../functions/reference/openapi-document.ts';
import { OPERATIONS } from '../functions/reference/operations.ts';

/** `npm run openapi`: writes openapi.json, which is checked in, served, and held against the code by a test. */
writeFileSync(
  join(import.meta.dirname, '../openapi.json'),
  `${JSON.stringify(openApiDocument(OPERATIONS), undefined, 2)}\n`,
);
