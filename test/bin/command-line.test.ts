import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { defineCommand } from '../../bin/operator/command.ts';
import { helpText, readCommandLine } from '../../bin/operator/command-line.ts';
import { OperatorError } from '../../bin/operator/operator-error.ts';

const make = defineCommand({
  summary: 'Makes a thing.',
  options: v.object({
    name: v.string(),
    'how-many': v.optional(
      v.pipe(v.string(), v.regex(/^\d+$/, 'must be a whole number'), v.transform(Number)),
    ),
    kind: v.optional(v.picklist(['big', 'small'])),
    loud: v.optional(v.boolean()),
  }),
  run: vi.fn(),
});
const commands = {
  make,
  other: defineCommand({ summary: '', options: v.object({ file: v.string() }), run: vi.fn() }),
};
const read = (line: string) => readCommandLine(line === '' ? [] : line.split(' '), commands);

describe('readCommandLine', () => {
  it.each([
    'make --name X --how-many 3 --loud --json --stage dev',
    '--json --stage dev make --loud --how-many=3 --name=X',
  ])('reads options in any order and form: %s', (line) => {
    expect(read(line)).toEqual({
      command: make,
      options: { name: 'X', 'how-many': 3, loud: true },
      stage: 'dev',
      isJson: true,
    });
  });

  it('takes a value that looks like a negative number for the value of its option', () => {
    expect(read('make --name -1 --how-many 2')).toMatchObject({ options: { name: '-1', 'how-many': 2 } });
  });

  it('needs none of the common options', () => {
    expect(read('make --name X')).toMatchObject({ stage: undefined, isJson: false, options: { name: 'X' } });
  });

  it.each(['', '--help', '-h', 'make --help'])('helps: %j', (line) => {
    expect(read(line)).toBe('help');
  });

  it.each([
    ['--json', 'a command is missing; choose one of: make, other'],
    ['mkae --name X', 'there is no command mkae; choose one of: make, other'],
    ['toString', 'there is no command toString; choose one of: make, other'],
    ['make X', 'make takes options only, got: X'],
    ['make', '--name is required'],
    ['make --nmae X', "Unknown option '--nmae'"],
    [
      'make --file X --name X',
      '--file is not an option of make; it takes: --name NAME [--how-many HOW-MANY]',
    ],
    ['make --name', "Option '--name <value>' argument missing"],
    ['make --name X --how-many many', '--how-many must be a whole number'],
    ['make --name X --how-many -1', '--how-many must be a whole number'],
    ['make --name X --how-many=-1', '--how-many must be a whole number'],
    ['make --name --loud', '--name is followed by another option instead of its value; a value that begins'],
    ['make --loud -1 --name X', "Option '--loud' does not take an argument"],
    ['make --name X --kind huge', '--kind must be one of "big", "small"'],
    ['make --name X --loud=yes', "Option '--loud' does not take an argument"],
    ['make --name X --stage=', '--stage needs the name of a stage'],
  ])('complains of %s in one line that names what is wrong', (line, complaint) => {
    const failing = () => read(line);

    expect(failing).toThrow(OperatorError);
    expect(failing).toThrow(complaint);
    expect(failing).not.toThrow('\n');
  });
});

describe('helpText', () => {
  it('shows each command with its options, the optional ones in brackets', () => {
    expect(helpText(commands)).toContain(
      '  make --name NAME [--how-many HOW-MANY] [--kind KIND] [--loud]\n      Makes a thing.\n',
    );
  });
});
