/** The forms a result is printed in: `-o`, PAYCLI_OUTPUT and `output` of configuration files. */
export const outputForms = ['text', 'json', 'ndjson', 'csv', 'yaml', 'table'] as const;

export type OutputForm = (typeof outputForms)[number];

export function isOutputForm(word: string): word is OutputForm {
  return outputForms.some((form) => form === word);
}

/** True where a program reads what is printed: errors are one JSON object then. */
export function speaksToPrograms(form: string | undefined): boolean {
  return form === 'json' || form === 'ndjson' || form === 'yaml';
}
