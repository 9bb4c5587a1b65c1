/** The forms a result is printed in: `-o`, PAYCLI_OUTPUT and `output` of configuration files. */
export const outputForms = ['text', 'json', 'ndjson', 'csv', 'yaml', 'table'] as const;

export type OutputForm = (typeof outputForms)[number];

export function isOutputForm(word: string): word is OutputForm {
  return outputForms.some((form) => form === word);
}
