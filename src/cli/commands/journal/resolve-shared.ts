import { exits, fail } from '../../../errors/index.js';
import { describeIntent, type Intent, type Journal, type Sender, wasSettledManually } from '../../../journal/index.js';
import { type OutcomeStore, queryOutcome, recordAnswer } from '../../../payments/status-query.js';
import { operationById } from '../../../spec/index.js';
import { currentUser } from '../../core/current-user.js';
import { type Tools, withGateway } from '../../core/gateway-context.js';
import { packageVersion } from '../../core/version.js';
import { idWord } from '../../format/meaning.js';
import type { SharedOrder } from '../batch/shared-order.js';
import type { SettleOptions } from './resolve-manually.js';
import { showResolved, unresolvedStates } from './resolve-report.js';
import { agreementTo, checkSecondPerson, signatureNeeded } from './second-person.js';

const command = 'resolve';

/**
 * Settles rows of a batch where they are decided about, so that they are settled on every machine; what the journal of
 * this one has of them follows.
 */
export async function resolveShared(
  order: SharedOrder,
  copies: readonly Intent[],
  journal: Journal,
  tools: Tools,
  options: SettleOptions & { readonly resend?: boolean },
): Promise<number> {
  if (options.resend === true) throw fail('sharedRowNotResent', { engine: order.shown, command });
  const settled =
    options.settleAs === undefined
      ? await settleByStatus(order, copies, journal, tools)
      : [await settleBySaying(order, copies, journal, tools, options)];
  const exit = await showShared(settled, order, tools);
  // What a person says is written down, whatever it is.
  return options.settleAs === undefined ? exit : exits.ok;
}

async function settleByStatus(
  { view, intents }: SharedOrder,
  copies: readonly Intent[],
  journal: Journal,
  tools: Tools,
): Promise<readonly Intent[]> {
  const sender = senderOf(tools);
  const store: OutcomeStore = {
    async settle(intent, to, result) {
      const copy = copyOf(intent, copies);
      if (copy !== undefined) journal.settle(copy.id, to, result);
      return view.settle(intent, to, result, sender);
    },
    remark: (intent, what, why) => view.remark(intent, what, why, sender),
    onOrder: (intent, orderId) => view.intentsNamed(intent.base, [orderId]),
  };
  return withGateway(operationById('STATUS'), tools, async ({ connection, watched }) => {
    const settled: Intent[] = [];
    for (const intent of intents) {
      if (!unresolvedStates.includes(intent.state) && !wasSettledManually(intent.reason)) {
        settled.push(intent);
        continue;
      }
      const own = await view.takeFromDeadWorker(intent, sender);
      const answer = await queryOutcome(connection, own, watched);
      const { intent: now, evidence } = await recordAnswer(own, answer, store, tools.session.assume['minor-digits']);
      if (evidence.proves === 'nothing') tools.report.notes([`${describeIntent(now)}: ${evidence.reason}`]);
      settled.push(now);
    }
    return settled;
  });
}

/** What other evidence says of the one row that no answer of the gateway settles. */
async function settleBySaying(
  { view, intents, shown }: SharedOrder,
  copies: readonly Intent[],
  journal: Journal,
  tools: Tools,
  options: SettleOptions,
): Promise<Intent> {
  const [intent, ...others] = intents.filter(({ state }) => unresolvedStates.includes(state));
  if (intent === undefined) throw fail('settledAlready', { state: intents.at(-1)?.state ?? '', command });
  if (others.length > 0)
    throw fail('severalRequestsOpen', { which: [intent, ...others].map(describeIntent).join('; '), command });
  const { settleAs, evidence } = options;
  const wanted = { action: settleAs === 'paid' ? 'settle it as paid' : 'settle it as not-paid', evidence } as const;
  const copy = copyOf(intent, copies);
  // A signature is over an entry of a journal.
  if (copy === undefined && signatureNeeded(intent, tools.session))
    throw fail('sharedRowNeedsSignature', { engine: shown });
  checkSecondPerson(copy ?? intent, wanted, tools, options);
  const agreement =
    copy === undefined ? { by: options.approvedBy ?? null } : await agreementTo(copy, wanted, journal, tools, options);
  const sender = senderOf(tools);
  const own = await view.takeFromDeadWorker(intent, sender);
  const facts = { evidence, as: settleAs, ...agreement, asked: currentUser(tools.runtime) };
  const to = settleAs === 'paid' ? 'done' : 'declined';
  const settled = await view.settleManually(own, to, facts, sender);
  const now = copy === undefined ? undefined : journal.get(copy.id);
  if (now !== undefined && unresolvedStates.includes(now.state) && now.state !== 'sending')
    journal.settleManually(now, to, facts);
  return settled;
}

function copyOf({ operation, clientOrderId, endpointId, sum }: Intent, copies: readonly Intent[]): Intent | undefined {
  return copies.findLast(
    (copy) =>
      copy.operation === operation &&
      copy.clientOrderId === clientOrderId &&
      copy.endpointId === endpointId &&
      copy.sum?.minor === sum?.minor,
  );
}

function senderOf({ runtime: { processes } }: Pick<Tools, 'runtime'>): Sender {
  return { host: processes.host, pid: processes.pid, version: packageVersion };
}

/** The journal of this machine knows nothing of the rows of a database. */
const elsewhere = { waiting: () => undefined, wholeAmount: () => undefined };

async function showShared(
  intents: readonly Intent[],
  { shown }: SharedOrder,
  { report, session }: Tools,
): Promise<number> {
  const open = intents.filter(({ state }) => unresolvedStates.includes(state));
  await showResolved(intents, open.length === 0, elsewhere, report);
  report.notes([`these are rows of a batch on ${shown}; they are settled there too`]);
  const [worst] = open.toSorted((one, other) => Number(one.state === 'accepted') - Number(other.state === 'accepted'));
  if (worst === undefined) return intents.length === 1 && intents[0]?.state === 'declined' ? exits.declined : exits.ok;
  const id = idWord(worst.clientOrderId ?? worst.orderId ?? '', 'clientOrderId', 'ORDER');
  const facts = { what: describeIntent(worst), why: worst.reason };
  report.because(
    worst.state === 'accepted'
      ? fail('resolvePending', { ...facts, how: `check again with \`paycli resolve ${id}${session.flags}\`` })
      : fail('resolveUnknown', {
          ...facts,
          how: `paycli resolve ${id} --settle-as paid|not-paid --evidence TEXT${session.flags}`,
        }),
  );
  return worst.state === 'accepted' ? exits.pending : exits.unknown;
}
