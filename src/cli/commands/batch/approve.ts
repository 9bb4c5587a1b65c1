import { approvalMs, reasonsAgainst, type Statement } from '../../../batch/approval.js';
import { type PlanHead, totalsText } from '../../../batch/plan.js';
import { fail, ifInterrupted, type PaycliError } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, mayPrompt, on, parsed, type Values, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { totalsFlag, wholeNumber } from './input.js';
import { type OpenBatch, planArgument, withBatch } from './open-batch.js';
import { planText, runCommand } from './plan-text.js';

const flags = {
  by: word('<name>', 'the name of the approver'),
  total: totalsFlag('the total of the plan, instead of typing it; once per currency'),
  rows: parsed('<number>', 'the number of rows, if no row has an amount', wholeNumber(0)),
  digest: word('<characters>', 'the first 8 characters of its digest, instead of typing them'),
  noInput: on('never prompt'),
  ...outputFlags,
};

type ApproveFlags = CommonOptions & Values<typeof flags>;

export const batchApprove = defineCommand({
  summary: 'Approve a plan as a second person',
  help: "The approver gives their name, types the total of the plan and the first 8 characters of its digest. The approval is valid for 72 hours, for this plan only, and nobody can approve what they planned. This protects against mistakes, not against a colleague who uses the same account, or holds the merchant's keys. In a shared journal the approver is the role that its database knows, and no name is asked for.",
  args: { plan: planArgument },
  flags,
  examples: ['batch approve $PLAN', 'batch approve $PLAN --by mary --total EUR=35.50 --digest $DIGEST'],
  effect: 'local',
  note: 'It sends nothing; it allows a plan to be run.',
  result: ['batch-approval'],
  run: ({ args: { plan }, flags, runtime }) => withBatch(plan, runtime, (open) => approve(open, flags, runtime)),
});

/** Puts the name of a second person to a plan, once they have said what it comes to. */
async function approve({ head, batch, journal }: OpenBatch, flags: ApproveFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter(flags, undefined, runtime);
  const { id, digest, totals } = head;
  if (batch.state === 'planning') throw refused(head, 'its rows were not all recorded');
  const { role = flags.by } = journal;
  if (flags.by !== undefined && flags.by !== role)
    throw refused(head, `the journal knows you as ${role}, not as ${flags.by}: leave out --by`);
  const asked = askMissing(head, { ...flags, ...(role !== undefined && { by: role }) }, report, runtime);
  const stated = await asked.catch(ifInterrupted('nothing was approved'));
  const wrong = reasonsAgainst(head, { ...flags.total, ...stated });
  if (wrong.length > 0) throw refused(head, wrong.join('; '));
  const { by = '' } = stated;
  const at = runtime.clock.now();
  await journal.approve({ batch: id, digest, total: totalsText(totals), role: by });
  const until = at + approvalMs;
  await report.show({
    document: {
      ...{ schema: 'paycli.batch-approval/1', plan: id, digest, by },
      ...{ at: new Date(at).toISOString(), until: new Date(until).toISOString() },
    },
    text: () => {
      const { paint } = report;
      const approved = `${id} is approved by ${oneLine(by)}; valid until ${report.moment(until)}`;
      // The command after `next:` is harmless when pasted.
      const next = `${paint.dim('next:')} \`paycli batch show ${id}\``;
      return `${paint.good('✓')} ${approved}\n\`${runCommand(head)}\` sends its rows\n${next}\n`;
    },
  });
  return 0;
}

/** What the approver says: by a flag, or at a prompt. */
function questionsAbout({ totals }: PlanHead, { by, total = {}, rows, digest }: ApproveFlags) {
  const source = 'from your own records';
  const sums = totals.map(({ currency }) => ({
    ...{ name: currency, given: total[currency], flag: `--total ${currency}=…` },
    message: `its total in ${currency}, ${source}`,
  }));
  const count = { name: 'rows', given: rows?.toString(), flag: '--rows N', message: `its number of rows, ${source}` };
  return [
    { name: 'by', given: by, flag: '--by NAME', message: 'your name' },
    ...(sums.length > 0 ? sums : [count]),
    { name: 'digest', given: digest, flag: '--digest XXXXXXXX', message: 'the first 8 characters of its digest' },
  ];
}

/** All that is said, by name; what no flag says is asked for. Throws CONFIRMATION_NEEDED in a script. */
async function askMissing(head: PlanHead, flags: ApproveFlags, report: Reporter, runtime: Runtime): Promise<Statement> {
  const questions = questionsAbout(head, flags);
  const missing = questions.filter(({ given }) => given === undefined);
  const stated = Object.fromEntries(questions.map(({ name, given = '' }) => [name, given]));
  if (missing.length === 0) return stated;
  const { id, planner } = head;
  const names = missing.map(({ flag }) => flag).join(' ');
  if (!mayPrompt(flags, runtime))
    throw fail('CONFIRMATION_NEEDED', {
      why: `plan ${id} was not approved: the approver has to say what it comes to, and there is no terminal to prompt on`,
      how: `add ${names}`,
      plan: id,
      flags: names,
    });
  // Not silenced by --quiet: nobody should approve what was not shown.
  const asks = `${report.errPaint.bold(id)}: ${oneLine(planner.user)} planned it; with your approval it may be sent`;
  report.err(`${asks}\n${planText(head, report)}`);
  const prompter = await runtime.prompter(flags.color);
  const check = (text: string) => (text.trim() === '' ? 'is empty' : undefined);
  for (const { name, message } of missing)
    stated[name] = await prompter.ask({ name, message: `To approve, type ${message}`, check });
  return stated;
}

function refused({ id }: PlanHead, why: string): PaycliError {
  return fail('BATCH_REFUSED', {
    why: `plan ${id} was not approved: ${why}`,
    how: `ask which plan is meant; \`paycli batch show ${id}\` shows this one`,
    plan: id,
  });
}
