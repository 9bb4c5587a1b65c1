import { dump } from 'js-yaml';

/** YAML that a reader of 1.1 and of 1.2 understands alike: what could be taken for a number or a truth value is quoted. */
export function yamlText(value: unknown): string {
  return dump(value, { noRefs: true, lineWidth: -1, quotingType: '"' });
}
