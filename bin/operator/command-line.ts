import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import * as v from 'valibot';
import { issuePath, issueText } from '../../functions/shared/issue-text.ts';
import type { Command } from './command.ts';
import { OperatorError } from './operator-error.ts';

/** The options every command has. */
const COMMON = {
  json: { type: 'boolean' },
  stage: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** What was asked for on the command line. */
export interface CommandLine {
  readonly command: Command;
  /** As the command's schema read them. */
  readonly options: Record<string, unknown>;
  readonly stage: string | undefined;
  readonly isJson: boolean;
}

/**
 * Reads a command line.
 *
 * @returns `help` when it was asked for.
 * @throws {OperatorError} naming the command or option that is wrong.
 */
export function readCommandLine(
  args: readonly string[],
  commands: Readonly<Record<string, Command>>,
): CommandLine | 'help' {
  const { values, positionals } = parsed(args, commands);
  const { json, stage, help, ...given } = values;
  if (help || args.length === 0) return 'help';
  const [name = '', ...rest] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    const problem = name === '' ? 'a command is missing' : `there is no command ${name}`;
    throw new OperatorError(`${problem}; choose one of: ${Object.keys(commands).join(', ')}`);
  }
  if (rest.length > 0) throw new OperatorError(`${name} takes options only, got: ${rest.join(' ')}`);
  const stray = Object.keys(given).find((option) => !Object.hasOwn(command.options.entries, option));
  if (stray) throw new OperatorError(`--${stray} is not an option of ${name}; it takes: ${usage(command)}`);
  if (stage === '') throw new OperatorError('--stage needs the name of a stage');

  const read = v.safeParse(command.options, given, { message: issueText });
  if (!read.success) {
    const [issue] = read.issues;
    throw new OperatorError(`--${issuePath(issue)[0]} ${issue.message}`);
  }
  return { command, options: read.output, stage, isJson: json === true };
}

/** What can be asked for, for a person. */
export function helpText(commands: Readonly<Record<string, Command>>): string {
  const lines = Object.entries(commands).map(
    ([name, command]) => `  ${name} ${usage(command)}\n      ${command.summary}`,
  );
  return [
    'Usage: npm run -s operator -- COMMAND [--json] [--stage NAME]',
    '',
    'Works on the local service of STATE_DIR (default .local), or on a deployed stage with --stage.',
    '--json prints one JSON object and nothing else.',
    '',
    ...lines,
  ].join('\n');
}

function parsed(args: readonly string[], commands: Readonly<Record<string, Command>>) {
  const options: ParseArgsOptionsConfig = Object.assign({}, ...Object.values(commands).map(flags));
  try {
    return parseArgs({ args: joined(args), options: { ...options, ...COMMON }, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')))
      throw error;
    const ambiguous = /^Option '(.+?)(?: <value>)?' argument is ambiguous/.exec(error.message)?.[1];
    throw new OperatorError(
      ambiguous === undefined
        ? error.message.replace(/\. To specify a positional .*/s, '').replaceAll('\n', ' ')
        : `${ambiguous} is followed by another option instead of its value; a value that begins with a dash is written ${ambiguous}=-…`,
    );
  }
}

/**
 * With negative numbers joined to their options, `--limit=-1`: no option looks like one, and what is wrong with
 * the number is for the option's own schema to say.
 */
const joined = (args: readonly string[]): string[] =>
  args.flatMap((arg, index) => {
    if (isNumberOf(args[index - 1], arg)) return [];
    const next = args[index + 1] ?? '';
    return isNumberOf(arg, next) ? `${arg}=${next}` : arg;
  });

const isNumberOf = (option: string | undefined, value: string): boolean =>
  option !== undefined && /^--[^=]+$/.test(option) && /^-\d/.test(value);

const flags = ({ options }: Command): ParseArgsOptionsConfig =>
  Object.fromEntries(
    Object.entries(options.entries).map(([name, schema]) => [
      name,
      { type: isFlag(schema) ? 'boolean' : 'string' },
    ]),
  );

const isFlag = (schema: object): boolean =>
  'wrapped' in schema && v.isOfType('boolean', schema.wrapped as v.GenericSchema);

const usage = ({ options }: Command): string =>
  Object.entries(options.entries)
    .map(([name, schema]) => {
      const text = isFlag(schema) ? `--${name}` : `--${name} ${name.toUpperCase()}`;
      return v.isOfType('optional', schema) ? `[${text}]` : text;
    })
    .join(' ');
