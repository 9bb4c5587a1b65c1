import {
  type Approvers,
  approvalMs,
  approvedEvent,
  approverNameOf,
  judgeApprovals,
  selfApprovalReason,
  signApproval,
} from '../../../batch/plan/approval.js';
import { planChangeReason } from '../../../batch/plan/digest.js';
import { differences } from '../../../batch/plan/expected-content.js';
import type { PlanHead, PlanStore } from '../../../batch/plan.js';
import { pathFrom } from '../../../config/file-access.js';
import { closeAfter, exits, fail, ifInterrupted, type PaycliError, shellWord } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { mayPrompt } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { Reporter } from '../../core/reporter.js';
import { oneLine } from '../../format/document.js';
import { readApproval, writeApproval } from '../keys/approval-file.js';
import { approverKey, approversOf } from '../keys/approvers.js';
import { planNamed } from './ask-plan.js';
import { countIn, totalsIn } from './input-file.js';
import { profileFlagsOf } from './named-commands.js';
import { headLines, rowsText, withPlan } from './plan-files.js';

interface ApproveFlags {
  readonly keyFile?: string;
  readonly approvalFile?: string;
  readonly total?: readonly string[];
  readonly rows?: string;
  readonly digest?: string;
}

const command = 'batch approve';

export const batchApprove = defineCommand<CommonOptions & ApproveFlags>({
  name: 'batch approve',
  summary: 'Approve a plan as a second person',
  help: `Approve a plan as a second person

The approver types the total of the plan and the first 8 characters of its digest, and signs with an Ed25519 key registered under approvers in the user's configuration file. The approval is valid for 72 hours, for this plan only. Nobody can approve their own plan: key and system user id must both differ from the planner's, and neither is read from the environment. So the approver uses a separate user account, with a copy of the plan's file (batches/PLAN.db in the state folder, mode 0600): there, --approval-file is written; on the account that has the plan, it is read. To create a key pair:

  openssl genpkey -algorithm ed25519 -out mary.pem
  openssl pkey -in mary.pem -pubout -out mary.pub

and in the configuration file:

  approvers: { mary: ~/keys/mary.pub }

This protects against mistakes, not against someone who holds the merchant's keys.`,
  args: [['[plan]', 'plan id, or the first characters of it; on another account, the path of a copy of its file']],
  options: [
    ['--key-file <file>', "the approver's own private key (Ed25519, PEM, mode 0600)"],
    ['--approval-file <file>', 'with --key-file: write the approval here; without: read it from here'],
    ['--total <currency=amount>', 'the total of the plan, instead of typing it; once per currency', { repeated: true }],
    ['--rows <number>', 'the number of rows, if no row has an amount'],
    ['--digest <characters>', 'the first 8 characters of its digest, instead of typing them'],
    ['--no-input', 'never prompt'],
  ],
  examples: [
    'batch approve ./$PLAN.db --key-file mary.pem --total EUR=35.50 --digest $DIGEST --approval-file approval.json',
    'batch approve $PLAN --approval-file approval.json',
  ],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'refusedHere', 'interrupted'],
  note: 'It sends nothing; it allows a plan to be run.',
  prints: ['batch-approval'],
  run: async ({ args: [plan], options, runtime }) =>
    runBatchApprove(await planNamed(plan, command, options, runtime), options, runtime),
});

/**
 * Puts the name of a second person to a plan, once they have said what it comes to. They work on an account of their
 * own: there a copy of the plan's file is approved, and the resulting file is read on the account that has the plan.
 */
async function runBatchApprove(name: string, options: CommonOptions & ApproveFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { keyFile, approvalFile } = options;
  const isCopy = /[/\\]|\.db$/.test(name);
  if (keyFile === undefined && approvalFile !== undefined && !isCopy)
    return importApproval(name, approvalFile, report, runtime);
  if (keyFile === undefined)
    throw fail('USAGE', { why: '--key-file is missing: the file of your own Ed25519 private key', command });
  if (isCopy && approvalFile === undefined)
    throw fail('USAGE', { why: '--approval-file is missing: where the approval is written', command });
  const approvers = await approversOf(runtime);
  const approve = async (store: PlanStore): Promise<number> => {
    const { head } = store;
    const { facts, until } = await approvedBy(store, { ...options, keyFile }, { approvers, report, runtime });
    if (approvalFile === undefined) store.addEvent(approvedEvent, facts);
    else writeApproval(approvalFile, { schema: approvalSchema, plan: head.id, ...facts }, command, runtime);
    await showApproval(head, facts, until, approvalFile, report);
    return exits.ok;
  };
  if (isCopy) return withCopy(name, runtime, approve);
  return withPlan(name, command, runtime, approve, 'read');
}

interface ApprovalContext {
  readonly approvers: Approvers;
  readonly report: Reporter;
  readonly runtime: Runtime;
}

async function approvedBy(
  store: PlanStore,
  options: CommonOptions & ApproveFlags & { readonly keyFile: string },
  context: ApprovalContext,
) {
  const { approvers, report, runtime } = context;
  const { head } = store;
  const { user, host } = runtime.processes;
  const key = approverKey(options.keyFile, runtime);
  const by = approverNameOf(key, approvers);
  if (by === undefined)
    throw fail('BATCH_REFUSED', {
      why: `plan ${head.id} was not approved: this key does not belong to an approver`,
      how: 'list its public key under approvers in the user file of this account and of the one that sends',
      plan: head.id,
    });
  const own = selfApprovalReason(head, { by, user }, approvers);
  if (own !== undefined) throw planApprovalRefused(head.id, own);
  const change = planChangeReason(store);
  if (change !== undefined) throw changedPlanNotApproved(head.id, change);
  checkStated(head, await stateTotals(head, options, report, runtime).catch(ifInterrupted('nothing was signed')));
  const at = runtime.clock.now();
  return { facts: signApproval(head, { by, user, host }, key, at), until: at + approvalMs };
}

async function showApproval(
  head: PlanHead,
  { by, at }: Readonly<Record<string, unknown>>,
  until: number,
  approvalFile: string | undefined,
  report: Reporter,
): Promise<void> {
  const { id, planner } = head;
  await report.show({
    document: {
      schema: 'paycli.batch-approval/1',
      ...{ plan: head.id, digest: head.digest, by },
      at: new Date(Number(at)).toISOString(),
      until: new Date(until).toISOString(),
    },
    text: () => {
      const approved = `${id} is approved by ${oneLine(String(by))}; valid until ${report.moment(until)}`;
      const done = report.paint.good('✓');
      const next = report.paint.dim('next:');
      // On the account that has the plan the command after `next:` is harmless when pasted.
      return approvalFile === undefined
        ? `${done} ${approved}\n\`paycli batch run ${id}${profileFlagsOf(head)}\` sends its rows\n${next} \`paycli batch show ${id}\`\n`
        : `${done} ${approved}, in ${oneLine(approvalFile)}\n${next} give that file to ${oneLine(planner.user)}, who imports it on ${oneLine(planner.host)} with \`paycli batch approve ${id} --approval-file ${shellWord(approvalFile)}\`\n`;
    },
  });
}

/** Opens a copy of a plan's file, without a journal: card data stays where it is, and the digest covers its seals. */
async function withCopy<T>(name: string, runtime: Runtime, use: (store: PlanStore) => Promise<T>): Promise<T> {
  const { files, clock } = runtime;
  const path = pathFrom(name, files.folders.working, files.folders.home);
  if (!files.exists(path)) throw fail('USAGE', { why: `file ${name} does not exist`, file: name, command });
  const { openPlan } = await import('../../../batch/plan/plan-store.js');
  const store = openPlan(path, { database: await runtime.database(), files, clock });
  return closeAfter(
    () => use(store),
    () => store.close(),
  );
}

const approvalSchema = 'paycli.batch-approval-file/1';

/** Takes an approval from another account in, if it counts. */
async function importApproval(name: string, file: string, report: Reporter, runtime: Runtime): Promise<number> {
  const approvers = await approversOf(runtime);
  return withPlan(
    name,
    command,
    runtime,
    async (store) => {
      const { head } = store;
      const { plan: _, ...facts } = readApproval(file, approvalSchema, command, runtime);
      const change = planChangeReason(store);
      if (change !== undefined) throw changedPlanNotApproved(head.id, change);
      const verdict = judgeApprovals([facts], head, approvers, runtime.clock.now());
      if (!verdict.valid) throw planApprovalRefused(head.id, verdict.why);
      store.addEvent(approvedEvent, facts);
      await showApproval(head, facts, verdict.until, undefined, report);
      return exits.ok;
    },
    'read',
  );
}

/** What the approver says the plan comes to. */
interface StatedTotals {
  readonly totals: Readonly<Record<string, string>>;
  /** Of a plan without totals. */
  readonly rows: number | undefined;
  readonly digest: string;
}

async function stateTotals(
  head: PlanHead,
  { total, rows, digest, ...options }: CommonOptions & ApproveFlags,
  report: Reporter,
  runtime: Runtime,
): Promise<StatedTotals> {
  const given = { totals: totalsIn(total, '--total', command) ?? {}, rows: countIn(rows, '--rows', command), digest };
  const missing = head.totals
    .filter(({ currency }) => given.totals[currency] === undefined)
    .map(({ currency }) => currency);
  const needsRows = head.totals.length === 0 && given.rows === undefined;
  if (missing.length === 0 && !needsRows && digest !== undefined) return { ...given, digest };
  if (!mayPrompt(options, runtime)) {
    const flags = [
      ...missing.map((currency) => `--total ${currency}=…`),
      ...(needsRows ? ['--rows N'] : []),
      ...(digest === undefined ? ['--digest XXXXXXXX'] : []),
    ];
    throw fail('CONFIRMATION_NEEDED', {
      why: `plan ${head.id} was not approved: the total must be typed, and there is no terminal to prompt on`,
      how: `add ${flags.join(' ')}`,
      plan: head.id,
      flags: flags.join(' '),
    });
  }
  // Not silenced by --quiet: nobody should approve what was not shown.
  const lines = headLines(head, report).map(([label, text]) => [`  ${label}`, oneLine(text)]);
  const { user } = head.planner;
  const asks = `${report.errPaint.bold(head.id)}: ${oneLine(user)} planned it; with your approval it may be sent`;
  report.err(`${asks}\n${report.columns(lines)}`);
  const prompter = await runtime.prompter(options.color);
  const totals = { ...given.totals };
  for (const currency of missing)
    totals[currency] = await prompter.ask({
      name: `total ${currency}`,
      message: `To approve, type its total in ${currency}, from your own records`,
    });
  const counted = needsRows
    ? Number(
        await prompter.ask({ name: 'rows', message: 'To approve, type its number of rows, from your own records' }),
      )
    : given.rows;
  return {
    totals,
    rows: counted,
    digest:
      digest ??
      (await prompter.ask({ name: 'digest', message: 'To approve, type the first 8 characters of its digest' })),
  };
}

/** Throws BATCH_REFUSED. */
function checkStated(head: PlanHead, { totals, rows, digest }: StatedTotals): void {
  const found = differences(
    { count: undefined, totals: head.totals.length === 0 ? undefined : totals },
    head.count,
    head.totals,
    'the total you gave',
  );
  const wrong = [
    ...found,
    ...(rows !== undefined && rows !== head.count
      ? [`you entered ${rowsText(rows)}, but the plan has ${head.count}`]
      : []),
    ...(head.digest.slice(0, 8) === digest.toLowerCase() ? [] : ['the digest does not begin with what you typed']),
  ];
  if (wrong.length > 0)
    throw fail('BATCH_REFUSED', {
      why: `plan ${head.id} was not approved: ${wrong.join('; ')}`,
      how: `ask which plan is meant; \`paycli batch show ${head.id}\` shows this one`,
      plan: head.id,
    });
}

function planApprovalRefused(plan: string, verdict: string): PaycliError {
  return fail('BATCH_REFUSED', {
    why: `plan ${plan} was not approved: ${verdict}`,
    how: `have someone else approve it under their own user account: they run \`paycli batch approve COPY --key-file FILE --approval-file NEW\` on a copy of the plan's file, then you run \`paycli batch approve ${plan} --approval-file NEW\`; \`paycli batch approve --help\` has more`,
    plan,
  });
}

function changedPlanNotApproved(plan: string, change: string): PaycliError {
  return fail('BATCH_REFUSED', { why: `plan ${plan} was not approved: ${change}`, how: 'plan the file again', plan });
}
