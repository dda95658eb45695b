import { RequestError } from '../../functions/shared/request-error.ts';
import { helpText, readCommandLine } from './command-line.ts';
import { COMMANDS } from './commands.ts';
import { localAccount, stageAccount } from './operator-account.ts';
import { OperatorError } from './operator-error.ts';
import { operatorNeeds } from './operator-needs.ts';
import { readable } from './readable.ts';

interface Surroundings {
  /** Where the local service keeps its state. */
  readonly stateDirectory: string;
  /** Prints a text on standard output. */
  readonly print: (text: string) => void;
  /** Prints a line on standard error. */
  readonly complain: (line: string) => void;
}

/**
 * Runs one command of the operator.
 *
 * @returns the exit code: 1 after a complaint of one line, with nothing printed.
 */
export async function runOperator(
  args: readonly string[],
  { stateDirectory, print, complain }: Surroundings,
): Promise<0 | 1> {
  try {
    const line = readCommandLine(args, COMMANDS);
    if (line === 'help') {
      print(helpText(COMMANDS));
      return 0;
    }
    const account = line.stage === undefined ? localAccount(stateDirectory) : await stageAccount(line.stage);
    const result = await line.command.run(line.options, operatorNeeds(account));
    print(line.isJson ? JSON.stringify(result) : readable(result));
    return 0;
  } catch (error) {
    complain(`operator: ${complaint(error)}`);
    return 1;
  }
}

/** One line about a failure; of an unforeseen one its name helps to look it up. */
function complaint(error: unknown): string {
  if (error instanceof OperatorError || error instanceof RequestError) return error.message;
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ECONNREFUSED') {
    return 'the local service does not answer: start it with npm start';
  }
  return `${error.name}: ${error.message}`.replaceAll(/\s+/g, ' ');
}
