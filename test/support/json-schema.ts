type Schema = Readonly<Record<string, unknown>>;
type Values = Readonly<Record<string, string>>;

/** What is wrong with values of text against a JSON schema of such, for the keywords that the exported documents use. */
export function schemaProblems(schema: unknown, values: Values): readonly string[] {
  return Object.entries(schema as Schema).flatMap(([keyword, rule]) => checks[keyword]?.(rule as never, values) ?? []);
}

const fits = (schema: unknown, values: Values) => schemaProblems(schema, values).length === 0;

const checks: Readonly<Record<string, (rule: never, values: Values) => readonly string[]>> = {
  required: (names: readonly string[], values) =>
    names.filter((name) => values[name] === undefined).map((name) => `${name} is missing`),
  dependentRequired: (table: Readonly<Record<string, readonly string[]>>, values) =>
    Object.entries(table).flatMap(([name, needed]) =>
      values[name] === undefined
        ? []
        : needed.filter((each) => values[each] === undefined).map((each) => `${each} is missing`),
    ),
  properties: (table: Readonly<Record<string, Schema>>, values) =>
    Object.entries(table).flatMap(([name, schema]) => {
      const value = values[name];
      return value === undefined ? [] : valueProblems(schema, value).map((problem) => `${name}: ${problem}`);
    }),
  allOf: (schemas: readonly unknown[], values) => schemas.flatMap((schema) => schemaProblems(schema, values)),
  anyOf: (schemas: readonly unknown[], values) =>
    schemas.some((schema) => fits(schema, values)) ? [] : ['fits none of several'],
  oneOf: (schemas: readonly unknown[], values) => {
    const count = schemas.filter((schema) => fits(schema, values)).length;
    return count === 1 ? [] : [`fits ${count} of those of which it must be one`];
  },
  not: (schema: unknown, values) => (fits(schema, values) ? ['fits what it must not be'] : []),
};

function valueProblems(schema: Schema, value: string): string[] {
  const { pattern, maxLength, enum: words, const: word } = schema;
  return [
    ...(typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)
      ? [`${value} is not like ${pattern}`]
      : []),
    ...(typeof maxLength === 'number' && [...value].length > maxLength ? [`longer than ${maxLength}`] : []),
    ...(Array.isArray(words) && !words.includes(value) ? [`${value} is none of ${words.join(', ')}`] : []),
    ...(word !== undefined && word !== value ? [`it is not ${String(word)}`] : []),
  ];
}
