import { approvalMs, selfApprovalReason } from '../../../batch/approval.js';
import { differences } from '../../../batch/expected-content.js';
import { type PlanHead, rowsText, totalsText } from '../../../batch/plan.js';
import { fail, ifInterrupted, type PaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, type FlagsFor, list, mayPrompt, on, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { batchApprovalResult } from '../../results.js';
import { countIn, totalsIn } from './input-file.js';
import { type OpenBatch, planNamed, withBatch } from './open-batch.js';
import { headLines, profileFlagsOf } from './plan-text.js';

interface ApproveFlags extends CommonOptions {
  readonly by?: string;
  readonly total?: readonly string[];
  readonly rows?: string;
  readonly digest?: string;
}

const command = 'batch approve';

export const batchApprove = defineCommand({
  summary: 'Approve a plan as a second person',
  help: "The approver gives their name, types the total of the plan and the first 8 characters of its digest. The approval is valid for 72 hours, for this plan only, and nobody can approve what they planned. This protects against mistakes, not against a colleague who uses the same account, or holds the merchant's keys. In a shared journal the approver is the role that its database knows, and no name is asked for.",
  args: { plan: { text: 'plan id, or the first characters of it', isOptional: true } },
  flags: {
    by: word('<name>', 'the name of the approver'),
    total: list('<currency=amount>', 'the total of the plan, instead of typing it; once per currency'),
    rows: word('<number>', 'the number of rows, if no row has an amount'),
    digest: word('<characters>', 'the first 8 characters of its digest, instead of typing them'),
    noInput: on('never prompt'),
    ...outputFlags,
  } satisfies FlagsFor<ApproveFlags>,
  examples: ['batch approve $PLAN', 'batch approve $PLAN --by mary --total EUR=35.50 --digest $DIGEST'],
  effect: 'local',
  note: 'It sends nothing; it allows a plan to be run.',
  result: [batchApprovalResult],
  run: async ({ args: { plan }, flags, runtime }) => {
    const options = flags as ApproveFlags;
    const name = await planNamed(plan, command, options, runtime);
    const report = new Reporter(options, undefined, runtime);
    return withBatch(name, command, runtime, (open) => approve(open, options, report, runtime));
  },
});

/** Puts the name of a second person to a plan, once they have said what it comes to. */
async function approve(
  { head, batch, journal }: OpenBatch,
  options: ApproveFlags,
  report: Reporter,
  runtime: Runtime,
): Promise<number> {
  if (batch.state === 'planning') throw refused(head.id, 'its rows were not all recorded', 'plan the file again');
  const by = journal.role ?? options.by ?? (await askName(options, runtime));
  if (options.by !== undefined && options.by !== by)
    throw refused(head.id, `the journal knows you as ${by}, not as ${options.by}`, 'leave out --by');
  const own = selfApprovalReason(head, by);
  if (own !== undefined) throw refused(head.id, own, 'have somebody else approve it');
  checkStated(head, await stateTotals(head, options, report, runtime).catch(ifInterrupted('nothing was approved')));
  const at = runtime.clock.now();
  await journal.approve({ batch: head.id, digest: head.digest, total: totalsText(head.totals), role: by });
  const until = at + approvalMs;
  await report.show({
    document: {
      schema: 'paycli.batch-approval/1',
      ...{ plan: head.id, digest: head.digest, by },
      ...{ at: new Date(at).toISOString(), until: new Date(until).toISOString() },
    },
    text: () => {
      const { paint } = report;
      const approved = `${head.id} is approved by ${oneLine(by)}; valid until ${report.moment(until)}`;
      // The command after `next:` is harmless when pasted.
      const run = `\`paycli batch run ${head.id}${profileFlagsOf(head)}\` sends its rows`;
      return `${paint.good('✓')} ${approved}\n${run}\n${paint.dim('next:')} \`paycli batch show ${head.id}\`\n`;
    },
  });
  return 0;
}

async function askName(options: ApproveFlags, runtime: Runtime): Promise<string> {
  if (!mayPrompt(options, runtime))
    throw fail('CONFIRMATION_NEEDED', { why: 'the plan was not approved: --by names nobody', how: 'add --by NAME' });
  const prompter = await runtime.prompter(options.color);
  return prompter.ask({
    name: 'by',
    message: 'To approve, type your name',
    check: (text) => (text.trim() === '' ? 'is empty' : undefined),
  });
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
  { total, rows, digest, ...options }: ApproveFlags,
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

function refused(plan: string, why: string, how: string): PaycliError {
  return fail('BATCH_REFUSED', { why: `plan ${plan} was not approved: ${why}`, how, plan });
}
