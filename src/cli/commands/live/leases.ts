import { exits, fail, problemsText, suggest } from '../../../errors/index.js';
import { type Lease, maxLeaseMs, type Sum, sumText } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { allOperations, operations } from '../../../spec/index.js';
import { digitsOf, readMoney } from '../../../wire/amount.js';
import { currentUser } from '../../core/current-user.js';
import { isOwn } from '../../core/live/authorize.js';
import { checkLiveFlag, confirmByLogin, placeText, type Statement } from '../../core/live/confirm.js';
import { amountInWords, connectionRows } from '../../core/live/statement.js';
import { withSession } from '../../core/open-session.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import type { Session } from '../../core/session.js';
import { withJournal } from '../../core/user-stores.js';
import type { Document, Sheet } from '../../format/document.js';
import { oneLine } from '../../format/table.js';

export interface LeaseFlags {
  readonly for?: string;
  readonly ops?: string;
  readonly max?: string;
}

export interface WantedLease {
  readonly forMs: number;
  /** Ids. */
  readonly operations: readonly string[];
  readonly max: Sum;
}

type Refuse = (why: string) => void;

/** Throws USAGE with everything wrong with the flags. */
export function readLease(flags: LeaseFlags): WantedLease {
  const problems: string[] = [];
  const refuse: Refuse = (why) => void problems.push(why);
  if ([flags.for, flags.ops, flags.max].includes(undefined)) refuse('a lease needs --for, --ops and --max');
  const forMs = readDuration(flags.for, refuse);
  const ids = readOperations(flags.ops, refuse);
  const max = readMax(flags.max, refuse);
  if (problems.length > 0 || forMs === undefined || max === undefined)
    throw fail('USAGE', { why: problemsText(problems), command: 'live unlock' });
  return { forMs, operations: ids, max };
}

function readDuration(text: string | undefined, refuse: Refuse): number | undefined {
  if (text === undefined) return undefined;
  const { count, unit } = /^(?<count>[1-9]\d{0,2})(?<unit>[mh])$/.exec(text)?.groups ?? {};
  const ms = Number(count ?? 0) * (unit === 'h' ? 3_600_000 : 60_000);
  if (ms > 0 && ms <= maxLeaseMs) return ms;
  refuse('--for says how long, in minutes or hours, such as 15m or 2h, and 8h at most');
  return undefined;
}

function readOperations(text: string | undefined, refuse: Refuse): string[] {
  if (text === undefined) return [];
  const words = text.split(',').map((word) => word.trim().replaceAll(/[ -]+/g, ' '));
  if (!words.includes('')) return [...new Set(words.flatMap((word) => readOperation(word, refuse)))];
  refuse('--ops names the commands it covers, separated by commas, such as return,void');
  return [];
}

function readOperation(word: string, refuse: Refuse): string[] {
  const row = allOperations.find(({ command, aliases }) =>
    [command, ...(aliases ?? [])].some((name) => name.replaceAll('-', ' ') === word),
  );
  if (row?.effect === 'money') return [row.id];
  const money = operations.filter(({ effect }) => effect === 'money').map(({ command }) => command);
  if (row !== undefined) refuse(`--ops: ${row.command} asks for no login, so there is nothing to unlock`);
  else
    refuse(`--ops: there is no command ${word.slice(0, 40)}${suggest(word, money, '.')} It takes ${money.join(', ')}`);
  return [];
}

function readMax(text: string | undefined, refuse: Refuse): Sum | undefined {
  if (text === undefined) return undefined;
  const money = readMoney(text);
  if (money.ok) return { minor: String(money.minor), currency: money.currency };
  refuse(`--max ${money.why}`);
  return undefined;
}

/** Gives a lease once the login was typed. */
export async function runLiveUnlock(options: CommonOptions & LeaseFlags, runtime: Runtime): Promise<number> {
  const wanted = readLease(options);
  return withSession(options, runtime, async (session, report) => {
    checkLiveFlag(options, session);
    if (session.class !== 'live')
      throw fail('LIVE_GUARD', {
        why: `profile ${session.name} is of class ${session.class}, which asks for no login`,
        how: 'there is nothing to unlock; choose a live profile with --profile',
      });
    const until = runtime.clock.now() + wanted.forMs;
    await confirmByLogin(statementOf(wanted, report.moment(until), session), { options, session, report, runtime });
    return withJournal(runtime, async (journal) => {
      const { name, login, place } = session;
      const { operations, max, forMs } = wanted;
      const lease = journal.unlock(
        { profile: name, login, base: place, user: currentUser(runtime), operations, max },
        forMs,
      );
      await report.show({
        document: documentOf([lease]),
        list: 'leases',
        text: () => leaseText(lease, report),
        sheet: () => sheetOf([lease], report),
      });
      return exits.ok;
    });
  });
}

/** The leases of this machine and user that stand. */
export async function runLiveStatus(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  return withJournal(runtime, async (journal) => {
    const leases = journal.leases().filter((lease) => isOwn(lease, runtime));
    const standing = leases.filter(({ ended }) => ended === undefined);
    await report.show({
      document: documentOf(standing),
      list: 'leases',
      sheet: () => sheetOf(standing, report),
      empty: 'no lease stands, so each live payment asks for the merchant login; `paycli live unlock` gives one',
    });
    if (leases.some(({ ended }) => ended === 'clock'))
      report.warn(['the clock of this machine is behind the journal, so no lease counts until it is set right']);
    return exits.ok;
  });
}

/** Ends every lease in this journal. */
export async function runLiveLock(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  return withJournal(runtime, async (journal) => {
    const ended = journal.lock();
    const ids = ended.map(({ id }) => id);
    await report.show({
      document: { schema: 'paycli.live-lock/1', ended: ids },
      text: () =>
        ids.length === 0
          ? 'no lease stood: each live payment asks for the merchant login\n'
          : `${report.paint.good('✓')} locked: ${ids.map((id) => `lease ${id}`).join(', ')} ended\n`,
    });
    return exits.ok;
  });
}

function statementOf({ operations, max }: WantedLease, until: string, session: Session): Statement {
  const commands = operations.map(commandOf).join(', ');
  return {
    title: 'LIVE unlock: these payments will not ask for the merchant login',
    rows: [
      ['commands', commands],
      [
        'together',
        `at most ${amountInWords(BigInt(max.minor), digitsOf(max.currency, 'iso4217', '') ?? 0, max.currency)}`,
      ],
      ['until', until],
      ['gateway', placeText(session)],
      ...connectionRows(session),
    ],
    question: `LIVE unlock of ${commands} up to ${sumText(max)}: type the merchant login to go on`,
    why: 'a lease needs a confirmation',
  };
}

function commandOf(id: string): string {
  return operations.find((row) => row.id === id)?.command ?? id;
}

function leaseText({ id, operations, max, until }: Lease, report: Reporter): string {
  const what = `${operations.map(commandOf).join(', ')} up to ${sumText(max)} together, until ${report.moment(until)}`;
  return `${report.paint.good('✓')} lease ${id}: ${what}\n  every command still needs --live; \`paycli live lock\` ends it at once\n`;
}

function sheetOf(leases: readonly Lease[], report: Reporter): Sheet {
  return {
    columns: [
      ...[
        { head: 'lease', right: true },
        { head: 'profile' },
        { head: 'login', optional: true },
        { head: 'commands', flexible: true },
      ],
      ...[{ head: 'left', right: true }, { head: 'of', right: true }, { head: 'uses', right: true }, { head: 'until' }],
    ],
    rows: leases.map(({ id, profile, login, operations, left, max, uses, until }) => [
      ...[String(id), oneLine(profile), oneLine(login), operations.map(commandOf).join(', ')],
      ...[sumText(left), sumText(max), String(uses), report.time(until)],
    ]),
  };
}

function documentOf(leases: readonly Lease[]): Document {
  return {
    schema: 'paycli.leases/1',
    leases: leases.map(({ id, profile, login, base, operations, max, left, uses, from, until }) => ({
      ...{ lease: id, profile, login, gateway: base, operations: operations.map(commandOf) },
      ...{ max: moneyOf(max), left: moneyOf(left), uses },
      ...{ from: new Date(from).toISOString(), until: new Date(until).toISOString() },
    })),
  };
}

function moneyOf(sum: Sum): Record<string, unknown> {
  const { minor, currency } = sum;
  return { minor, digits: digitsOf(currency, 'iso4217', '') ?? 0, currency, text: sumText(sum).split(' ')[0] };
}
