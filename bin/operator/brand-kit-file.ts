import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { BrandKit } from '../../functions/captions/brand-kit.ts';
import { issuePath, issueText } from '../../functions/shared/issue-text.ts';

/** The path of a JSON file with a brand kit, read. */
export const brandKitFile = v.pipe(
  v.string(),
  v.rawTransform(({ dataset: { value: path }, addIssue, NEVER }) => {
    const content = contentOf(path);
    if (content.problem !== undefined) {
      addIssue({ message: content.problem });
      return NEVER;
    }
    const read = v.safeParse(BrandKit, content.value, { message: issueText });
    if (read.success) return read.output;
    const [issue] = read.issues;
    addIssue({ message: `is no brand kit: ${issuePath(issue).join('.') || 'it'} ${issue.message}` });
    return NEVER;
  }),
);

function contentOf(path: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: JSON.parse(readFileSync(path, 'utf8')) };
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: `must be a file of JSON: ${error.message}` };
    return { problem: `must be a readable file, got ${path}` };
  }
}
