import type { Paint } from '../../runtime/ports.js';
import {
  assumptionNamed,
  type Basis,
  type Field,
  interfaceLabel,
  kindOf,
  type Operation,
  type PlainProtection,
  type Rule,
} from '../../spec/index.js';
import type { KeyedField } from '../../wire/check.js';
import { flagOf, isForbidden } from '../flags.js';
import { columns } from './columns.js';

/** The contract of an operation for people. */
export function presentRecipe(row: Operation, protection: PlainProtection, fields: readonly KeyedField[], paint: Paint): string {
  const facts = [
    ['  interface', `version label ${interfaceLabel}`],
    ['  path', `POST {base-url}${row.path}/{endpointId}`],
    ['  request', row.records.request ?? 'no record named'],
    ['  reply', row.records.reply],
    ['  effect', effects[row.effect]],
    ['  basis', basisText(row.basis)],
    ['  signature', protectionText(row, protection)],
    ...(row.protection.scheme === 'switched'
      ? [['', `depends on ${assumptionNamed(row.protection.by)?.id ?? ''} ${row.protection.by}`]]
      : []),
  ];
  const rules = row.rules.map((rule) => `  ${ruleText(rule, row)}\n`).join('');
  return [
    `${paint.bold(`paycli ${row.command}`)}  ${row.brief}\n`,
    columns(facts),
    `${paint.bold('Fields')} in the order they are sent\n`,
    columns([['  wire name', 'flag', 'need', 'basis', 'form'], ...fields.map(([key, field]) => fieldLine(row, key, field))]),
    rules === '' ? '' : `${paint.bold('Rules')}\n${rules}`,
  ].join('');
}

function fieldLine(row: Operation, key: string, field: Field): string[] {
  const form = field.values?.join('|') ?? kindOf(field.kind).form;
  const limit = field.max === undefined ? '' : `, at most ${field.max}`;
  return [
    `  ${field.wire}`,
    key === 'login' ? '(profile)' : flagOf(key),
    isForbidden(row, key) ? 'never' : field.need,
    field.basis,
    form + limit,
  ];
}

const effects = {
  read: 'reads only; may be repeated',
  write: 'writes; never repeated by itself',
  money: 'moves money; never repeated by itself',
} as const;

function basisText(basis: Basis): string {
  return basis === 'stated' ? 'stated by the interface' : `assumed (${basis}): ${assumptionNamed(basis)?.about ?? ''}`;
}

function protectionText(row: Operation, protection: PlainProtection): string {
  switch (protection.scheme) {
    case 'none':
      return 'none shown by the interface';
    case 'hmac-sha1':
      return 'OAuth 1.0a, HMAC-SHA1 with the control key';
    case 'rsa-sha256':
      return 'OAuth 1.0a, RSA-SHA256 with the private key';
    case 'control': {
      const names = protection.values.map((name) => (name === 'amount' ? 'amount (minor units)' : (row.fields[name]?.wire ?? name)));
      return `control = SHA-1(${names.join(' + ')} + control key)`;
    }
  }
}

function ruleText(rule: Rule, row: Operation): string {
  const wire = (member: string) => {
    const [key = '', value] = member.split('=');
    const name = row.fields[key]?.wire ?? key;
    return value === undefined ? name : `${name}=${value}`;
  };
  const list = (keys: readonly string[]) => keys.map(wire).join(', ');
  switch (rule.rule) {
    case 'together':
      return `${list(rule.fields)}: all or none`;
    case 'atLeastOne':
      return `at least one of ${list(rule.fields)}`;
    case 'exactlyOne':
      return `exactly one of: ${rule.groups.map((group) => group.map(wire).join(' + ')).join(' | ')}`;
    case 'onlyWith':
      return `${wire(rule.field)} only with ${rule.others.map(wire).join(' or ')}`;
    case 'requiredWhen':
      return `${wire(rule.field)} ${rule.values.join(', ')} needs ${list(rule.fields)}`;
    case 'notAfter':
      return `${wire(rule.field)} not ${row.fields[rule.field]?.kind === 'date' ? 'after' : 'more than'} ${wire(rule.other)}`;
    case 'forbidden':
      return `never ${list(rule.fields)}: ${rule.why}`;
  }
}
