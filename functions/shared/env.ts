import * as v from 'valibot';

/** A variable that must be set to something. */
export const EnvText = v.pipe(v.string(), v.nonEmpty('must not be empty'));

/** What every function that touches the table needs. */
export const TableEnv = v.object({ SERVICE_TABLE: EnvText });
