import { runOperator } from './operator/run-operator.ts';

/** `npm run -s operator -- COMMAND`: what a person does to the service; `--help` lists the commands. */
process.exitCode = await runOperator(process.argv.slice(2), {
  stateDirectory: process.env.STATE_DIR || '.local',
  print: (text) => console.log(text),
  complain: (line) => console.error(line),
});
