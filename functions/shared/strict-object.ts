import * as v from 'valibot';

/** Every field is one too many for it. */
const empty = v.strictObject({});

/**
 * An object with these fields and no others, as JSON means it. valibot's own takes an array for an object whose
 * fields are its indexes, and names only the first of several unknown fields.
 */
export function strictObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.StrictObjectSchema<Entries, undefined> {
  const schema = v.strictObject(entries);
  const { '~run': run } = schema;
  return Object.assign(schema, {
    '~run': (...[dataset, config]: Parameters<typeof run>): ReturnType<typeof run> => {
      const { value } = dataset;
      // What is no object at all is refused in the same words.
      if (Array.isArray(value)) return run.call(schema, { value: null }, config);
      const read = run.call(schema, dataset, config);
      if (!read.issues) return read;
      for (const name of unknownFields(value, entries).slice(1)) {
        read.issues.push(...(empty['~run']({ value: { [name]: null } }, config).issues ?? []));
      }
      return read;
    },
  });
}

const unknownFields = (value: unknown, entries: v.ObjectEntries): string[] =>
  typeof value === 'object' && value !== null
    ? Object.keys(value).filter((name) => !Object.hasOwn(entries, name))
    : [];
