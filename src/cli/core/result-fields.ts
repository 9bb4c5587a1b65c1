import { fail, suggest } from '../../errors/index.js';
import { knownReplyNames } from '../../spec/index.js';
import { nameableWord } from '../../wire/secret-names.js';
import { namesIn } from '../format/document.js';
import type { TemplateName } from '../format/template.js';
import { declaredResults } from '../results.js';
import { setupResults } from '../setup-results.js';
import { partsOf } from './result-parts.js';

/** Parts of an operation's result. Reply fields are in `result`, and may be named without that prefix. */
const order = ['order', 'order.orderId', 'order.clientOrderId'];
const money = (name: string) => [name, ...['minor', 'digits', 'currency', 'text'].map((part) => `${name}.${part}`)];
const reply: readonly string[] = [
  ...['schema', 'ok', 'operation', 'profile', ...order, ...money('amount'), 'meaning', 'waiting', 'next', 'exit'],
  ...['sent', 'httpStatus', 'wokenBy', 'matched', 'result'],
];

const plan = 'plan digest operation profile class login gateway count totals file cards madeAt planner version';
const callback =
  'id at verified why order status type amount currency profile class readable method contentType bytes repeats lastAt repeatOf fields asked conflicts forwards';

/** The parts of a document that is a list: those beside the list, the list's name, and those of an entry. */
interface ListFields {
  readonly beside: string;
  readonly list: string;
  readonly entry: string;
}

/**
 * What commands other than operations print with --json, by schema: every part there may be, since an empty list has no
 * entry to show it.
 */
const documents = {
  audit: { beside: 'schema ok', list: 'findings', entry: 'rule title fix detail count orders firstAt lastAt request' },
  batch: `schema ${plan} state reason states events`,
  'batch-control': 'schema ok plan state changed by reason cancelled open',
  'batch-dry-run': 'schema plan signed totals',
  'batch-event': 'schema plan event row state orderId clientOrderId reason ms why',
  'batch-plan': `schema ${plan} withoutAmount largest repeated equal approvalNeeded run next`,
  'batch-run': 'schema ok profile plan digest operation planned ends stopped exit next',
  'batch-status': {
    beside: 'schema plan planned answered unanswered left exit',
    list: 'rows',
    entry: 'row clientOrderId orderId status stage reason',
  },
  'batch-summary':
    'schema plan digest operation profile class login gateway planner madeAt file planned ends approvals versions at files',
  batches: { beside: 'schema', list: 'batches', entry: `${plan} states state` },
  'callback-listen': `schema event url forwards as answered settled notAsked forwarded seconds reopened reason ${callback} received new repeats fits wrong noKey asked settled contradictions forwarded forwardFailed notStored turnedAway why left`,
  'callback-scripts': 'schema scripts',
  callbacks: {
    beside: 'schema listening',
    list: 'callbacks',
    entry: 'id orderId clientOrderId status url script state madeAt dueAt attempts',
  },
  certify: {
    beside: 'schema ok verdict passed failed unjudged notRun seconds seed paycli at command digest worse',
    list: 'scenarios',
    entry: 'name tag title verdict reasons should why said runs movements polls fivePollsMs broken ms exchange',
  },
  'certify-list': { beside: 'schema', list: 'scenarios', entry: 'name tag title should why' },
  clock: 'schema now machine next happened',
  code: 'schema operation profile language program',
  commands: {
    beside: 'schema paycli',
    list: 'commands',
    entry:
      'command aliases takesOperation isGroup heading summary description usage arguments flags effect network exits note examples operation path',
  },
  control: 'string control',
  diagnosis:
    'schema match mistakes explanations remedies difference differences differenceFrom trimmed operation profile scheme recipe key reason taken explanation',
  'sandbox-event': 'event url',
  'sandbox-stopped': 'schema name stopped url',
  form: 'schema page status returned to fields',
  key: 'schema file half kind form encoding algorithm bits curve fingerprint passphraseNeeded fits why findings blocks next',
  'key-check': 'schema pair verifies private public',
  'key-file': 'schema file from form bits fingerprint',
  'key-pair': 'schema privateKeyFile publicKeyFile form bits fingerprint publicKey profile supportText next',
  log: { beside: 'schema', list: 'events', entry: 'schema id login orderId kind title detail at machineAt fields' },
  merchant: 'schema login endpointId controlKey privateKeyPem',
  outcomes: 'schema testCards testNumbers cvv paresAmounts amountEndings holderWord queueable',
  raw: 'baseString signature authorization parameters',
  recipe: 'schema interface id command path records effect opens basis protection fields rules',
  reconciliation: {
    beside: 'schema file lines agrees totals',
    list: 'disagreements',
    entry: 'is why order statement journal',
  },
  sandbox: {
    beside: 'schema name file listening',
    list: 'merchants',
    entry: 'login controlKey publicKeyPem endpoints',
  },
  sign: 'schema operation profile masked request values amount signature signedBytes sha256 openssl',
  'sign-doctor': {
    beside: 'schema ok url clientExit stoppedBy',
    list: 'requests',
    entry: 'number method path operation httpStatus ok result signature problems otherwise refused remedy more',
  },
  version: 'schema paycli interface node',
} as const satisfies Readonly<Record<string, string | ListFields>>;

/** The name of a kind of document, as in `paycli.journal/1`. */
export type DocumentSchema = keyof typeof documents;

/** What a command prints: documents of these kinds, or the reply to an operation. */
export type Prints = readonly string[] | 'reply';

const declared = Object.values({ ...declaredResults, ...setupResults }).map(({ schema, fields, list, entry = {} }) => {
  const beside = Object.keys(fields).join(' ');
  return [schema, list === undefined ? beside : { beside, list, entry: Object.keys(entry).join(' ') }] as const;
});

const fieldsOf: Readonly<Record<string, string | ListFields>> = { ...documents, ...Object.fromEntries(declared) };

/** What one run of a command may print. */
interface Result {
  /** Parts that may be named, in the order they are listed to the user. */
  readonly names: readonly string[];
  /** Those that stand beside a list, and its own name. */
  readonly beside: readonly string[];
  readonly isReply: boolean;
  /** The kinds of document; none for a reply. */
  readonly schemas: readonly string[];
}

/** Fields whose value is never divided, in any document. */
const undivided: ReadonlySet<string> = new Set(
  'schema ok exit meaning operation profile class login endpointId orderId clientOrderId status gatewayStatus'
    .concat(' errorCode state stage currency httpStatus sent why madeAt changedAt at until total name id entry plan')
    .concat(' digest fingerprint version')
    .split(' '),
);

/**
 * Refuses an unknown field in --fields before the command does anything: afterwards the exit code must tell
 * the outcome. Unknown fields of a gateway reply are selected as `result.NAME`. Throws USAGE.
 */
export function checkNames(select: string | undefined, prints: Prints, path: string, isDryRun: boolean): void {
  const names = namesIn(select);
  if (names === undefined) return;
  const result = resultOf(prints, isDryRun);
  const { beside } = result;
  const unknown = names.find(
    (name) => hasNoSuchPart(result, name) || (!isIn(result, name) && !beside.includes(firstOf(name))),
  );
  if (unknown !== undefined) throw unknownName('--fields', unknown, result, path);
  const [whole] = names.filter((name) => !isIn(result, name));
  const part = names.find((name) => isIn(result, name) && !beside.includes(firstOf(name)));
  if (whole === undefined || part === undefined) return;
  throw fail('USAGE', {
    why: `--json and --fields: ${whole} belongs to the document and ${part} to each entry of its list: choose from one of them`,
    command: path,
  });
}

/**
 * The same for what a template names. Inside `{{#list}}…{{/list}}` a name is one of an entry, or of what is around it.
 */
export function checkTemplateNames(
  names: readonly TemplateName[],
  prints: Prints,
  path: string,
  isDryRun: boolean,
): void {
  const result = resultOf(prints, isDryRun);
  const unknown = names.find(
    ({ name }) => name !== '.' && !isIn(result, name) && !result.beside.includes(firstOf(name)),
  );
  if (unknown !== undefined && !unknown.isInside) throw unknownName('--template', unknown.name, result, path);
}

/**
 * Every part a document of a schema such as `journal` may have, that of its entries as well; undefined for an unknown
 * schema.
 */
export function knownFields(schema: string): readonly string[] | undefined {
  const fields = fieldsOf[schema];
  if (fields === undefined) return undefined;
  return typeof fields === 'string'
    ? fields.split(' ')
    : [fields.beside, fields.list, fields.entry].flatMap((text) => text.split(' '));
}

/** The fields an entry of the list in a document of this schema may have; none where it has no list. */
export function entryFields(schema: string): readonly string[] {
  const fields = fieldsOf[schema];
  return typeof fields === 'object' ? fields.entry.split(' ') : [];
}

/** The name of the list in a document of this schema. */
export function listIn(schema: string): string | undefined {
  const fields = fieldsOf[schema];
  return typeof fields === 'object' ? fields.list : undefined;
}

/** Fields of one part of what a command prints. */
export interface FieldGroup {
  /** The kind of document; `reply` for that of an operation. */
  readonly schema: string;
  readonly heading: string;
  readonly names: readonly string[];
}

/**
 * Every name that --fields take, by part: those of an entry, then those around the list; of a reply its
 * fields by their own names. Throws USAGE for a command that prints no fields.
 */
export function fieldGroups(prints: Prints, path: string, isDryRun: boolean): readonly FieldGroup[] {
  const schemas = schemasOf(prints, isDryRun);
  if (schemas === undefined)
    return [
      { schema: 'reply', heading: 'The result (paycli/1)', names: reply },
      {
        schema: 'gateway',
        heading: "Fields of the gateway's reply, where it sends them; others it sends are result.NAME",
        names: knownReplyNames,
      },
    ];
  if (schemas.length === 0)
    throw fail('USAGE', { why: '--fields: this command prints no fields', flags: '--fields', command: path });
  return schemas.flatMap((schema) => groupsOf(schema, fieldsOf[schema] ?? ''));
}

function groupsOf(schema: string, fields: string | ListFields): readonly FieldGroup[] {
  if (typeof fields === 'string')
    return [{ schema, heading: `The result (paycli.${schema}/1)`, names: fields.split(' ') }];
  const { list, entry: each, beside } = fields;
  return [
    { schema, heading: `Each of ${list} (paycli.${schema}/1)`, names: each.split(' ') },
    { schema, heading: `Beside ${list}`, names: [list, ...beside.split(' ')] },
  ];
}

/** With --dry-run an operation prints what it would sign. */
function schemasOf(prints: Prints, isDryRun: boolean): readonly string[] | undefined {
  return prints === 'reply' ? (isDryRun ? ['sign'] : undefined) : prints;
}

function resultOf(prints: Prints, isDryRun: boolean): Result {
  const schemas = schemasOf(prints, isDryRun);
  if (schemas === undefined) return { names: reply, beside: [], isReply: true, schemas: [] };
  const fields = schemas.map((schema) => fieldsOf[schema] ?? '');
  const names = fields.flatMap((each) => (typeof each === 'string' ? each : each.entry).split(' '));
  const beside = fields.flatMap((each) => (typeof each === 'string' ? [] : [each.list, ...each.beside.split(' ')]));
  return { names: [...new Set(names)], beside: [...new Set(beside)], isReply: false, schemas };
}

function isIn({ names, isReply }: Result, name: string): boolean {
  const first = firstOf(name);
  if (!isReply) return names.includes(first) || (names.includes('result') && knownReplyNames.includes(name));
  return names.includes(name) || name.startsWith('result.') || knownReplyNames.includes(name);
}

/** A path below a field that is not divided in any document printed, or not into such a part. */
function hasNoSuchPart({ schemas }: Result, name: string): boolean {
  const [first = '', part] = name.split('.');
  if (part === undefined) return false;
  const having = schemas.filter((schema) => knownFields(schema)?.includes(first) === true);
  return having.length > 0 && having.every((schema) => isWithout(schema, first, part));
}

function isWithout(schema: string, field: string, part: string): boolean {
  const parts = partsOf(schema, field);
  return parts.length > 0 ? !parts.includes(part) : undivided.has(field) || field === listIn(schema);
}

function firstOf(name: string): string {
  return name.split('.')[0] ?? '';
}

function unknownName(flags: string, name: string, { names, beside, isReply }: Result, command: string): Error {
  if (names.length === 0) return fail('USAGE', { why: `${flags}: this command prints no fields`, flags, command });
  const available = isReply
    ? `available: ${names.join(', ')}; fields of the reply, as result.NAME: ${knownReplyNames.join(', ')}`
    : `available: ${names.join(', ')}`;
  const all = beside.length > 0 ? `${available}; and beside the list: ${beside.join(', ')}` : available;
  const near = suggest(name, isReply ? [...names, ...knownReplyNames] : names);
  return fail('USAGE', {
    why: `${flags}: there is no field ${nameableWord(name) ?? 'of that name'}${near}; ${all}`,
    flags,
    name: nameableWord(name) ?? 'of that name',
    command,
  });
}
