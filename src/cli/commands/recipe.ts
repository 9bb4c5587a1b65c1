import { fail, nearest } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import {
  allOperations,
  assumptionNamed,
  type Basis,
  interfaceLabel,
  kindOf,
  type Operation,
  operationNamed,
  type PlainProtection,
  type Rule,
} from '../../spec/index.js';
import { fieldsInForce, protectionOf } from '../../wire/check.js';
import { flagOf } from '../flags.js';
import { openSession } from '../open-session.js';
import type { CommonOptions } from '../options.js';
import { columns } from '../present/columns.js';
import { Reporter } from '../reporter.js';

/** Prints the contract of one operation under the assumptions in force. */
export async function runRecipe(name: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const row = operationNamed(name);
  if (row === undefined) throw unknownOperation(name);
  const session = await openSession(options, runtime);
  try {
    const report = new Reporter(options, session, runtime);
    const protection = protectionOf(row, session.assume);
    const fields = fieldsInForce(row, session.assume);
    if (report.json) {
      const list = fields.map(([key, { wire, kind, need, max, values, meaning, basis }]) => ({
        key,
        flag: flagOf(key),
        wire,
        kind,
        need,
        max: max ?? kindOf(kind).max,
        values: values ?? null,
        meaning,
        basis,
      }));
      report.document({
        schema: 'paycli.recipe/1',
        interface: interfaceLabel,
        id: row.id,
        command: row.command,
        path: `${row.path}/{endpointId}`,
        records: row.records,
        effect: row.effect,
        opens: row.opens,
        basis: row.basis,
        protection,
        fields: list,
        rules: row.rules,
      });
      return 0;
    }
    const { paint } = report;
    report.out(
      [
        `${paint.bold(`paycli ${row.command}`)}  ${row.brief}\n`,
        columns([
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
        ]),
        `${paint.bold('Fields')} in the order they are sent\n`,
        columns([
          ['  wire name', 'flag', 'need', 'form', 'basis'],
          ...fields.map(([key, field]) => [
            `  ${field.wire}`,
            key === 'login' ? '(profile)' : flagOf(key),
            field.need,
            `${field.values?.join('|') ?? kindOf(field.kind).form}${field.max === undefined ? '' : `, at most ${field.max}`}`,
            field.basis,
          ]),
        ]),
        row.rules.length === 0 ? '' : `${paint.bold('Rules')}\n${row.rules.map((rule) => `  ${ruleText(rule, row)}\n`).join('')}`,
      ].join(''),
    );
    return 0;
  } finally {
    await session.close();
  }
}

const effects = {
  read: 'reads only; may be repeated',
  write: 'writes; never repeated by itself',
  money: 'moves money; never repeated by itself',
} as const;

function unknownOperation(name: string): Error {
  const guess = nearest(
    name,
    allOperations.flatMap((row) => [row.command, row.id]),
  );
  const hint = guess === undefined ? '' : `; did you mean ${guess}?`;
  return fail('USAGE', { why: `there is no operation ${name.slice(0, 40)}${hint}`, command: 'recipe' });
}

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
    case 'forbidden':
      return `never ${list(rule.fields)}: ${rule.why}`;
  }
}
