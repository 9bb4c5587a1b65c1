import type { SqlRow } from '../../runtime/ports.js';
import { number, optionalText, text } from '../columns.js';
import { pairsOf } from '../log/read.js';
import type { Store } from '../store.js';
import { history } from './history.js';
import type { Occurrence, ShownRequest } from './occurrence.js';
import { isRuleId, type RuleId, rules } from './rules.js';

/** A rule that was broken in one way, however often. */
export interface Finding {
  readonly rule: RuleId;
  readonly title: string;
  readonly fix: string;
  readonly detail: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** At most five of the orders it happened with. */
  readonly orders: readonly string[];
  /** The last one. */
  readonly request: ShownRequest | undefined;
}

/** What clients did wrong since a moment of the machine's clock, in the order of the rules. */
export function audit(store: Store, since = 0): Finding[] {
  const groups = new Map<string, Occurrence[]>();
  for (const occurrence of [...kept(store, since), ...history(store, since)]) {
    const key = `${occurrence.rule}\n${occurrence.detail}`;
    groups.set(key, [...(groups.get(key) ?? []), occurrence]);
  }
  const order = Object.keys(rules);
  return [...groups.values()].flatMap(findingOf).sort((a, b) => order.indexOf(a.rule) - order.indexOf(b.rule) || a.firstAt - b.firstAt);
}

function findingOf(occurrences: readonly Occurrence[]): Finding[] {
  const [first] = occurrences;
  if (first === undefined) return [];
  const times = occurrences.map(({ at }) => at);
  const orders = occurrences.map(({ order }) => order).filter((order) => order !== undefined);
  return [
    {
      rule: first.rule,
      ...rules[first.rule],
      detail: first.detail,
      count: occurrences.length,
      firstAt: times.reduce((least, at) => Math.min(least, at)),
      lastAt: times.reduce((most, at) => Math.max(most, at)),
      orders: [...new Set(orders)].slice(0, 5),
      request: occurrences.findLast(({ request }) => request !== undefined)?.request,
    },
  ];
}

/** What was noticed when the request was refused. */
function kept({ database }: Store, since: number): Occurrence[] {
  return database.all('SELECT * FROM findings WHERE at >= ? ORDER BY id', since).flatMap(occurrenceFrom);
}

function occurrenceFrom(row: SqlRow): Occurrence[] {
  const rule = text(row, 'rule');
  if (!isRuleId(rule)) return [];
  const request: unknown = JSON.parse(text(row, 'request'));
  const order = optionalText(row, 'order_name');
  return [{ rule, detail: text(row, 'detail'), at: number(row, 'at'), order, request: shownRequest(request) }];
}

function shownRequest(value: unknown): ShownRequest | undefined {
  if (typeof value !== 'object' || value === null || !('line' in value && 'headers' in value && 'fields' in value)) return undefined;
  return { line: String(value.line), headers: pairsOf(value.headers), fields: pairsOf(value.fields) };
}
