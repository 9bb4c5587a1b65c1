import {
  batchApprovalResult,
  callbackResult,
  callbackSendResult,
  callbacksResult,
  callbackVerifyResult,
  canResult,
  journalResult,
  orderResult,
  ordersResult,
  type Result,
  resendResult,
  resolveResult,
  timelineResult,
} from './results.js';
import { setupResults } from './setup-results.js';

const plan = 'plan digest operation profile class login gateway count totals file cards madeAt planner version';
const callback =
  'id at verified why order status type amount currency profile class readable method contentType bytes repeats lastAt repeatOf fields asked conflicts forwards';

/** A document that is a list: the names beside the list, its own, and those of an entry. */
interface ListNames {
  readonly beside: string;
  readonly list: string;
  readonly entry: string;
}

/** What further commands print, by schema: every name there may be, since an empty list has no entry to show it. */
const documents = {
  audit: { beside: 'schema ok', list: 'findings', entry: 'rule title fix detail count orders firstAt lastAt request' },
  batch: `schema ${plan} state reason states events`,
  'batch-dry-run': 'schema plan signed totals',
  'batch-event': 'schema plan event row state orderId clientOrderId reason ms why',
  'batch-plan': `schema ${plan} withoutAmount largest repeated equal approvalNeeded run next`,
  'batch-run': 'schema ok profile plan digest operation planned states stopped exit next',
  'batch-summary': `schema ${plan} states approvals reportedBy at files`,
  batches: { beside: 'schema', list: 'batches', entry: `${plan} states state` },
  'callback-listen': `schema event url forwards as answered settled notAsked forwarded seconds reason ${callback} received new repeats fits wrong noKey asked settled contradictions forwarded forwardFailed notStored turnedAway why left`,
  'callback-scripts': 'schema scripts',
  callbacks: {
    beside: 'schema listening',
    list: 'callbacks',
    entry: 'id orderId clientOrderId status url script state madeAt dueAt attempts',
  },
  certify: {
    beside: 'schema ok verdict passed failed unjudged notRun seconds seed paycli at command',
    list: 'scenarios',
    entry: 'name tag title verdict reasons should why said runs movements polls fivePollsMs broken ms exchange',
  },
  'certify-list': { beside: 'schema', list: 'scenarios', entry: 'name tag title should why' },
  clock: 'schema now machine next happened',
  code: 'schema operation profile language program',
  diagnosis: 'schema match mistakes otherwise form reason parameters operation profile scheme recipe key',
  'sandbox-event': 'event url',
  'sandbox-stopped': 'schema name stopped url',
  key: 'schema file half kind form encoding algorithm bits curve fingerprint passphraseNeeded fits why next',
  'key-check': 'schema pair verifies private public',
  'key-file': 'schema file from form bits fingerprint',
  'key-pair': 'schema privateKeyFile publicKeyFile form bits fingerprint publicKey profile supportText next',
  log: { beside: 'schema', list: 'events', entry: 'schema id login orderId kind title detail at machineAt fields' },
  merchant: 'schema login endpointId controlKey privateKeyPem',
  payer: 'schema orderId clientOrderId status verified3d returned to fields',
  outcomes: 'schema testCards testNumbers cvv paresAmounts amountEndings holderWord queueable',
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
  sign: 'schema operation profile masked request request.method request.url request.headers request.fields request.bodyBytes values amount amount.body amount.minor signature signedBytes sha256 openssl',
  'sign-doctor': {
    beside: 'schema ok url clientExit stoppedBy',
    list: 'requests',
    entry: 'number method path operation httpStatus ok result signature problems otherwise refused remedy more',
  },
  version: 'schema paycli interface node',
} as const satisfies Readonly<Record<string, string | ListNames>>;

/** The results of declared commands, by their schema. */
const declaredResults = {
  ...setupResults,
  journal: journalResult,
  resolve: resolveResult,
  resend: resendResult,
  'batch-approval': batchApprovalResult,
  'callback-list': callbacksResult,
  callback: callbackResult,
  'callback-send': callbackSendResult,
  'callback-verify': callbackVerifyResult,
  order: orderResult,
  can: canResult,
  timeline: timelineResult,
  orders: ordersResult,
} as const satisfies Readonly<Record<string, Result>>;

/** The name of a kind of document, as in `paycli.journal/1`. */
export type DocumentSchema = keyof typeof documents | keyof typeof declaredResults;

/** The results of these schemas. */
export function resultsNamed(...schemas: readonly DocumentSchema[]): readonly Result[] {
  return schemas.flatMap((schema) => resultNamed(schema) ?? []);
}

/** The result of this schema; undefined where no command prints one. */
export function resultNamed(schema: string): Result | undefined {
  const names: Readonly<Record<string, string | ListNames>> = documents;
  const given = names[schema];
  const declared: Readonly<Record<string, Result>> = declaredResults;
  if (given === undefined) return declared[schema];
  if (typeof given === 'string') return { schema, fields: withMeanings(given) };
  return { schema, fields: withMeanings(given.beside), list: given.list, entry: withMeanings(given.entry) };
}

function withMeanings(names: string): Result['fields'] {
  return Object.fromEntries(names.split(' ').map((name) => [name, meanings[name] ?? '']));
}

/** What the names mean that do not say it all. */
const meanings: Readonly<Record<string, string>> = {
  schema: 'name and version of this format',
  ok: 'true if the command ends with exit code 0',
  exit: 'exit code of the command',
  next: 'what to do next',
  why: 'the reason in words',
  reason: 'the reason in words',
  profile: 'name of the profile',
  class: 'class of the profile: sandbox, test or live',
  login: 'merchant login',
  endpointId: 'endpoint, or endpoint group',
  baseUrl: 'base address of the gateway',
  gateway: 'base address of the gateway, or which sandbox',
  orderId: 'gateway order id',
  clientOrderId: 'client order id (idempotency key)',
  'amount.minor': 'in minor units (cents), as a string',
  at: 'when (UTC)',
  madeAt: 'when it was created (UTC)',
  controlKey: 'where the control key is stored, and its fingerprint',
  supportText: 'text to send to the gateway with the public key',
  isSameKey: 'whether the profile had this very key before',
  checked: 'true if the gateway was queried with the new key',
  acts: 'on which side it acts',
  plan: 'id of the plan',
  digest: 'SHA-256 that an approval names',
  totals: 'sum of the rows by currency',
  planned: 'how many rows the plan has',
  ends: 'how many rows ended in each way, with their sums',
  withoutAmount: 'rows without an amount',
  run: 'the command that sends its rows',
  verified: 'fits, wrong or no-key: what its checksum says',
  asked: 'what the status query after it showed',
  conflicts: 'where it contradicts the journal',
  forwards: 'where it was forwarded, with the answers',
  masked: 'true if card data is masked in the stages',
  openssl: 'a command that computes the same',
  verdict: 'passed, failed, or why it was not judged',
  said: 'the outcome it reported',
  movements: 'money that moved at the gateway',
  holds: 'what the file contains',
};
