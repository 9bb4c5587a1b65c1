import { approvalMs, approved, nameOfKey, ownPlan, signApproval } from '../../batch/approval.js';
import { changeOf } from '../../batch/digest.js';
import { differences } from '../../batch/expected.js';
import type { PlanHead } from '../../batch/plan.js';
import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { approverKey, approversOf } from '../approvers.js';
import { countIn, totalsIn } from '../batch-flags.js';
import { headLines, rowsText, runCommand, withPlan } from '../batch-plans.js';
import type { CommonOptions } from '../options.js';
import { exits } from '../outcome.js';
import { personAt } from '../person.js';
import { columns } from '../present/columns.js';
import { oneLine } from '../present/table.js';
import { Reporter } from '../reporter.js';
import { mayAsk } from '../resolve.js';

export interface ApproveFlags {
  readonly keyFile?: string;
  readonly total?: readonly string[];
  readonly rows?: string;
  readonly digest?: string;
}

const command = 'batch approve';

/** Puts the name of a second person to a plan, once they have said what it comes to. */
export async function runBatchApprove(name: string, options: CommonOptions & ApproveFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { keyFile } = options;
  if (keyFile === undefined) throw fail('USAGE', { why: '--key-file is missing: the file of your own Ed25519 private key', command });
  const approvers = await approversOf(runtime);
  return withPlan(name, command, runtime, async (store) => {
    const { head } = store;
    const key = approverKey(keyFile, runtime);
    const by = nameOfKey(key, approvers);
    if (by === undefined)
      throw refused(head, 'this key is that of no approver', `add its public half to approvers in the user's configuration file`);
    const own = ownPlan(head, by, approvers);
    if (own !== undefined) throw refused(head, own, 'let somebody else approve it');
    const change = changeOf(store);
    if (change !== undefined) throw refused(head, change, 'plan the file again');
    checkSaid(head, await said(head, options, report, runtime));
    const at = runtime.clock.now();
    store.addEvent(approved, { ...signApproval(head, by, key, at), user: personAt(runtime), host: runtime.processes.host });
    const until = at + approvalMs;
    await report.show({
      document: {
        schema: 'paycli.batch-approval/1',
        ...{ plan: head.id, digest: head.digest, by, at: new Date(at).toISOString(), until: new Date(until).toISOString() },
      },
      text: () =>
        `${report.paint.good('✓')} ${head.id} is approved by ${oneLine(by)} until ${report.moment(until)}\n${report.paint.dim('next:')} \`${runCommand(head)}\`\n`,
    });
    return exits.ok;
  });
}

function refused({ id }: PlanHead, why: string, how: string): Error {
  return fail('BATCH_REFUSED', { why: `plan ${id} was not approved: ${why}`, how });
}

/** What the approver says the plan comes to. */
interface Said {
  readonly totals: Readonly<Record<string, string>>;
  /** Of a plan without totals. */
  readonly rows: number | undefined;
  readonly digest: string;
}

async function said(
  head: PlanHead,
  { total, rows, digest, ...options }: CommonOptions & ApproveFlags,
  report: Reporter,
  runtime: Runtime,
): Promise<Said> {
  const given = { totals: totalsIn(total, '--total', command) ?? {}, rows: countIn(rows, '--rows', command), digest };
  const missing = head.totals.filter(({ currency }) => given.totals[currency] === undefined).map(({ currency }) => currency);
  const needsRows = head.totals.length === 0 && given.rows === undefined;
  if (missing.length === 0 && !needsRows && digest !== undefined) return { ...given, digest };
  if (!mayAsk(options, runtime)) {
    const flags = [
      ...missing.map((currency) => `--total ${currency}=…`),
      ...(needsRows ? ['--rows N'] : []),
      ...(digest === undefined ? ['--digest XXXXXXXX'] : []),
    ];
    throw fail('CONFIRMATION_NEEDED', {
      why: `plan ${head.id} was not approved: what it comes to must be typed, and there is no terminal to ask on`,
      how: `add ${flags.join(' ')}`,
    });
  }
  // Not silenced by --quiet: nobody should approve what was not shown.
  report.err(`${report.errPaint.bold(head.id)}\n${columns(headLines(head, report).map(([label, text]) => [`  ${label}`, oneLine(text)]))}`);
  const prompter = await runtime.prompter(options.color);
  const totals = { ...given.totals };
  for (const currency of missing)
    totals[currency] = await prompter.ask({
      name: `total ${currency}`,
      message: `What it should come to in ${currency}`,
      hint: 'from your own papers',
    });
  const counted = needsRows ? Number(await prompter.ask({ name: 'rows', message: 'How many rows it should have' })) : given.rows;
  return {
    totals,
    rows: counted,
    digest: digest ?? (await prompter.ask({ name: 'digest', message: 'The first 8 characters of its digest' })),
  };
}

/** Throws BATCH_REFUSED. */
function checkSaid(head: PlanHead, { totals, rows, digest }: Said): void {
  const found = differences(
    { count: undefined, totals: head.totals.length === 0 ? undefined : totals },
    head.count,
    head.totals,
    'the total you gave',
  );
  const wrong = [
    ...found,
    ...(rows !== undefined && rows !== head.count ? [`you said ${rowsText(rows)}, and there are ${head.count}`] : []),
    ...(head.digest.slice(0, 8) === digest.toLowerCase() ? [] : ['the digest does not begin with what you typed']),
  ];
  if (wrong.length > 0) throw refused(head, wrong.join('; '), 'find out which plan is meant; `paycli batch show` shows it');
}
