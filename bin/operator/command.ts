import type * as v from 'valibot';
import type { OperatorNeeds } from './operator-needs.ts';

/** The options of a command, by their names on the command line: texts, or booleans for flags. */
export type Options = v.ObjectSchema<v.ObjectEntries, undefined>;

/** One command as data: what it takes, what it is for, and what it does. */
export interface Command<O extends Options = Options> {
  readonly summary: string;
  readonly options: O;
  /** @returns what is printed. */
  run(options: v.InferOutput<O>, needs: OperatorNeeds): Promise<object>;
}

/** Keeps the type of a command's options between its schema and its run. */
export const defineCommand = <const O extends Options>(command: Command<O>): Command<O> => command;
