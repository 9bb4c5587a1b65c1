import { assumptionsNote } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import {
  type Assume,
  assumptionNamed,
  type Basis,
  type Condition,
  type Field,
  interfaceLabel,
  kindOf,
  type Operation,
  type PlainProtection,
  type Rule,
} from '../../../spec/index.js';
import { fieldsInForce, formOf, maxLength, protectionOf } from '../../../wire/check.js';
import { rulesInForce } from '../../../wire/rules.js';
import { flagOf } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { isForbidden } from '../../flags.js';
import type { Layout } from '../../format/document.js';
import { readInterfaceSettings } from '../../open-session.js';

/** The contract of an operation for people. */
function presentRecipe(row: Operation, assume: Assume, report: Layout): string {
  const { paint } = report;
  const protection = protectionOf(row, assume);
  const fields = fieldsInForce(row, assume);
  const facts = [
    ['  interface', `version label ${interfaceLabel}`],
    ['  path', `POST {base-url}${row.path}/{endpointId}`],
    ['  request', row.records.request ?? 'not specified'],
    ['  reply', row.records.reply],
    ['  effect', effects[row.effect]],
    ['  basis', basisText(row.basis)],
    ['  signature', protectionText(row, protection)],
    ...(row.protection.scheme === 'switched'
      ? [['', `depends on ${assumptionNamed(row.protection.by)?.id ?? ''} ${row.protection.by}`]]
      : []),
  ];
  const rules = report.columns(
    rulesInForce(row, assume).map((rule) => [`  ${ruleText(rule, row)}`, conditionText(rule.basis, rule.when)]),
  );
  const text = [
    report.columns([[paint.bold(`paycli ${row.command}`), row.brief]]),
    report.columns(facts),
    `${paint.bold('Fields')} in the order they are sent\n`,
    report.columns([
      ['  wire name', 'flag', 'need', 'basis', 'form'],
      ...fields.map(([key, field]) => fieldLine(row, key, field, assume)),
    ]),
    rules === '' ? '' : `${paint.bold('Rules')}\n${rules}`,
  ].join('');
  const note = assumptionsNote(text, 'bare');
  return note === undefined ? text : `${text}${note}\n`;
}

function fieldLine(row: Operation, key: string, field: Field, assume: Assume): string[] {
  const { basis, needBasis = basis } = field;
  const form = field.values?.join('|') ?? formOf(field, assume).form;
  const kind = kindOf(field.kind);
  const limit = field.max === undefined && kind.maxBy === undefined ? '' : `, at most ${maxLength(field, assume)}`;
  const need = needBasis === basis ? field.need : `${field.need} (${needBasis})`;
  return [
    `  ${field.wire}`,
    key === 'login' ? '(profile)' : flagOf(key),
    isForbidden(row, key) ? 'never' : need,
    conditionText(basis, field.when),
    `${form}${limit}${kind.basis === undefined ? '' : ` (${kind.basis})`}`,
  ];
}

/** Where a field or a rule comes from, and the switch that it is in force by. */
function conditionText(basis: Basis, when: Condition | undefined): string {
  if (when === undefined) return basis;
  const id = assumptionNamed(when.switch)?.id;
  return `${basis === id ? '' : `${basis}, `}${id ?? ''} ${when.value}`;
}

const effects = {
  read: 'reads only; may be repeated',
  write: 'writes; never repeated automatically',
  money: 'moves money; never repeated automatically',
} as const;

function basisText(basis: Basis): string {
  if (basis === 'stated') return 'documented';
  return `assumed (${basis}): ${assumptionNamed(basis)?.about ?? 'see `paycli help assumptions`'}`;
}

function protectionText(row: Operation, protection: PlainProtection): string {
  switch (protection.scheme) {
    case 'none':
      return 'none documented';
    case 'hmac-sha1':
      return 'OAuth 1.0a, HMAC-SHA1 with the control key';
    case 'rsa-sha256':
      return 'OAuth 1.0a, RSA-SHA256 with the private key';
    case 'control': {
      const names = protection.values.map((name) =>
        name === 'amount' ? 'amount (minor units)' : (row.fields[name]?.wire ?? name),
      );
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
    case 'needs':
      return `${wire(rule.field)} needs ${list(rule.others)}`;
    case 'requiredWhen':
      return `${wire(rule.field)} ${rule.values.join(', ')} needs ${list(rule.fields)}`;
    case 'notAfter':
      return `${wire(rule.field)} not ${row.fields[rule.field]?.kind === 'date' ? 'after' : 'more than'} ${wire(rule.other)}`;
    case 'forbidden':
      return `never ${list(rule.fields)}: ${rule.why}`;
  }
}

/** Prints the contract of one operation under the assumptions in force. Throws where the profile cannot be read. */
export async function showRecipe(row: Operation, options: CommonOptions, runtime: Runtime): Promise<number> {
  const settings = await readInterfaceSettings(options, runtime);
  const report = new Reporter(options, settings, runtime);
  await report.show({
    document: recipeDocument(row, settings.assume),
    text: () => presentRecipe(row, settings.assume, report),
  });
  return 0;
}

function recipeDocument(row: Operation, assume: Assume) {
  const { id, command, path, records, effect, opens, basis } = row;
  const fields = fieldsInForce(row, assume).map(([key, field]) => {
    const { basis: formBasis = 'A49' } = kindOf(field.kind);
    return { key, flag: flagOf(key), needBasis: field.basis, ...field, max: maxLength(field, assume), formBasis };
  });
  return {
    schema: 'paycli.recipe/1',
    interface: interfaceLabel,
    id,
    command,
    path: `${path}/{endpointId}`,
    records,
    effect,
    opens,
    basis,
    protection: protectionOf(row, assume),
    fields,
    rules: rulesInForce(row, assume),
  };
}
