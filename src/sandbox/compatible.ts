import { type Field, operations } from '../spec/index.js';
import { digitsOf } from '../wire/amount.js';
import { fieldsInForce, withoutOuterSpaces } from '../wire/check.js';
import type { FormFinding } from './fields.js';
import type { RuleViolation } from './refusal.js';
import type { Route, SandboxSettings } from './request.js';

/** How the switch is named wherever a refusal could be avoided by it. */
export const compatibleHint = '`paycli sandbox start --compatible` accepts this';

const rows = new Map<string, (typeof operations)[number]>(operations.map((row) => [row.path, row]));

interface LooseRoute {
  readonly route: Route;
  readonly isGroup: boolean;
  readonly violations: readonly RuleViolation[];
}

/** The operation of a path under any prefix, also with a group id in the place of the endpoint id. */
export function findLooseRoute(path: string, strictPrefix: string): LooseRoute | undefined {
  const at = path.indexOf('/api/');
  const [, operation = '', group, endpointId = ''] = /^(\/api\/.+?)(\/group)?\/([^/]+)$/.exec(path.slice(at)) ?? [];
  const row = at === -1 ? undefined : rows.get(operation);
  if (row === undefined) return undefined;
  const { command } = row;
  const violations: RuleViolation[] = [];
  if (path.slice(0, at) !== strictPrefix)
    violations.push({ rule: 'accepted', detail: `${command}: the path must begin with ${strictPrefix}` });
  if (group !== undefined)
    violations.push({ rule: 'accepted', detail: `${command}: the path must end with the endpoint id, without /group` });
  return { route: { id: row.id, row, endpointId }, isGroup: group !== undefined, violations };
}

/** Values as programs of this family write them, in the form of the description, and what was changed. */
export function mendValues(
  given: Readonly<Record<string, string>>,
  { row, endpointId }: Route,
  { assume }: SandboxSettings,
): { readonly values: Readonly<Record<string, string>>; readonly findings: readonly FormFinding[] } {
  const digits = digitsOf(given['currency']?.trim() ?? '', assume['minor-digits'], endpointId) ?? 2;
  const values: Record<string, string> = {};
  const findings: FormFinding[] = [];
  const wires = new Map(fieldsInForce(row, assume));
  for (const [key, text] of Object.entries(given)) {
    const field = wires.get(key);
    const plain = withoutOuterSpaces(text);
    const change = field && mended(field, key, plain, digits);
    const value = change?.value ?? plain;
    if (value !== '') values[key] = value;
    const why = change?.why ?? (plain === text ? undefined : 'must not begin or end with a space');
    if (why !== undefined)
      findings.push({ rule: 'field-wrong', why: `${field?.wire ?? key} ${why}`, isTakenAnyway: true });
  }
  return { values, findings };
}

/** The value as the description wants it, and what is wrong with it; undefined for one that nothing is wrong with. */
function mended({ kind }: Field, key: string, text: string, digits: number) {
  if (key === 'orderDesc' && /[\r\n]/.test(text))
    return { value: text.replace(/\s*[\r\n]+\s*/g, ' '), why: 'must stand on one line' };
  if (kind === 'year' && /^\d\d$/.test(text)) return { value: `20${text}`, why: 'must have four digits' };
  const [, whole = '', shown = ''] = kind === 'amount' ? (/^(\d+)\.(\d+?)0*$/.exec(text) ?? []) : [];
  const isLonger = whole !== '' && text.length > whole.length + 1 + digits && shown.replace(/^0$/, '').length <= digits;
  if (!isLonger) return undefined;
  const value = digits === 0 ? whole : `${whole}.${shown.padEnd(digits, '0')}`;
  return { value, why: 'must have the digits of its currency' };
}
