import type { IncomingHttpHeaders } from 'node:http';
import { AwsError } from '../aws-error.ts';
import type { StoredObject } from './object-store.ts';

/** What a reader's conditions make of an object. */
export type ReadVerdict = 'send' | 'not modified';

/** Reads `If-Match` and its kin in the order of RFC 9110. @throws {AwsError} PreconditionFailed */
export function readVerdict(headers: IncomingHttpHeaders, object: StoredObject): ReadVerdict {
  const modifiedAt = Math.floor(object.modifiedAt / 1000) * 1000;
  const since = (name: string) => Date.parse(String(headers[name] ?? ''));
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined && !names(ifMatch, object)) throw failed('If-Match');
  if (ifMatch === undefined && since('if-unmodified-since') < modifiedAt) throw failed('If-Unmodified-Since');
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) return names(ifNoneMatch, object) ? 'not modified' : 'send';
  return since('if-modified-since') >= modifiedAt ? 'not modified' : 'send';
}

/** Whether a write may replace what is there. */
export function mayWrite(headers: IncomingHttpHeaders, before: StoredObject | undefined): boolean {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifNoneMatch !== undefined && before !== undefined && names(ifNoneMatch, before)) return false;
  return ifMatch === undefined || (before !== undefined && names(ifMatch, before));
}

/** Holds a copy's conditions against its source. @throws {AwsError} PreconditionFailed */
export function assertCopyable(headers: IncomingHttpHeaders, source: StoredObject): void {
  const match = headers['x-amz-copy-source-if-match'];
  const noneMatch = headers['x-amz-copy-source-if-none-match'];
  if (match !== undefined && !names(String(match), source)) throw failed('x-amz-copy-source-If-Match');
  if (noneMatch !== undefined && names(String(noneMatch), source))
    throw failed('x-amz-copy-source-If-None-Match');
}

/** @throws never; the error of a condition that does not hold */
export function failed(condition: string): AwsError {
  return new AwsError(
    'PreconditionFailed',
    `At least one of the pre-conditions you specified did not hold: ${condition}`,
    412,
  );
}

function names(condition: string, { etag }: StoredObject): boolean {
  return (
    condition === '*' ||
    condition.split(',').some((each) => each.trim().replaceAll('"', '') === etag.replaceAll('"', ''))
  );
}
