import { exits, fail } from '../../../errors/index.js';
import { type Lease, type Sum, sumText } from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { operations } from '../../../spec/index.js';
import { digitsOf } from '../../../wire/amount.js';
import { currentUser } from '../../core/current-user.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { isOwn } from '../../core/live/authorize.js';
import { accountText, type ConfirmationText, checkLiveFlag, confirmByLogin } from '../../core/live/confirm.js';
import { connectionRows } from '../../core/live/confirmation-text.js';
import { withSession } from '../../core/open-session.js';
import { type CommonOptions, connectionFlags, liveFlag } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import type { Session } from '../../core/session.js';
import { withJournal } from '../../core/user-stores.js';
import { amountInWords } from '../../format/amount-in-words.js';
import type { Document, Sheet } from '../../format/document.js';
import { oneLine } from '../../format/table.js';
import { type LeaseFlags, readLease, type WantedLease } from './lease-flags.js';

export const liveUnlock = defineCommand<CommonOptions & LeaseFlags>({
  name: 'live unlock',
  summary: 'Start a lease',
  help: `Allow some live payments for a while without typing the login for each

A lease names the commands, a total limit for all of them, and an expiry time. It is valid for this profile, login, address, machine and user, and replaces only the typed login: every command still needs --live, and the caps of the profile still apply. Every use is counted and recorded in the journal.`,
  options: [
    ['--for <time>', 'how long it lasts, such as 15m or 2h; at most 8h'],
    ['--ops <operations>', 'the commands it covers, separated by commas, such as return,void'],
    ['--max <amount>', 'total limit for all of them, such as "500.00 EUR"'],
    liveFlag,
    ['--confirm-login <login>', 'the merchant login, instead of typing it'],
    ['--no-input', 'never prompt'],
    ...connectionFlags,
  ],
  examples: [
    'live unlock --for 15m --ops return,void --max "500.00 EUR" --live',
    'live unlock --for 2h --ops "payout pay" --max "1200.00 EUR" --live',
  ],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'refusedHere', 'interrupted'],
  note: 'It makes no payment; later payments do not ask for the login.',
  prints: ['leases'],
  run: ({ options, runtime }) => runLiveUnlock(options, runtime),
});

/** Starts a lease once the login was typed. */
async function runLiveUnlock(options: CommonOptions & LeaseFlags, runtime: Runtime): Promise<number> {
  const wanted = readLease(options);
  return withSession(options, runtime, async (session, report) => {
    checkLiveFlag(options, session);
    if (session.class !== 'live') throw fail('leaseNotLive', { profile: session.name, class: session.class });
    const until = runtime.clock.now() + wanted.forMs;
    await confirmByLogin(statementOf(wanted, report.moment(until), session), { options, session, report, runtime });
    return withJournal(runtime, async (journal) => {
      const { name, login, gatewayBase } = session;
      const { operations, max, forMs } = wanted;
      const lease = journal.unlock(
        { profile: name, login, base: gatewayBase, user: currentUser(runtime), operations, max },
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

export const liveStatus = defineCommand({
  name: 'live status',
  summary: 'Show active leases and their remaining limits',
  examples: ['live status', 'live status --json'],
  effect: 'none',
  network: false,
  exits: [],
  prints: ['leases'],
  run: ({ options, runtime }) => runLiveStatus(options, runtime),
});

/** Shows the active leases of this machine and user. */
async function runLiveStatus(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  return withJournal(runtime, async (journal) => {
    const leases = journal.leases().filter((lease) => isOwn(lease, runtime));
    const active = leases.filter(({ ended }) => ended === undefined);
    await report.show({
      document: documentOf(active),
      list: 'leases',
      sheet: () => sheetOf(active, report),
      empty: 'no active lease, so each live payment asks for the merchant login; `paycli live unlock` starts one',
    });
    if (leases.some(({ ended }) => ended === 'clock'))
      report.warn([
        'the clock of this machine is behind the journal, so no lease is valid until the clock is corrected',
      ]);
    return exits.ok;
  });
}

export const liveLock = defineCommand({
  name: 'live lock',
  summary: 'End all leases at once',
  examples: ['live lock'],
  effect: 'none',
  network: false,
  exits: [],
  prints: ['live-lock'],
  run: ({ options, runtime }) => runLiveLock(options, runtime),
});

/** Ends every lease in this journal. */
async function runLiveLock(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  return withJournal(runtime, async (journal) => {
    const ended = journal.lock();
    const ids = ended.map(({ id }) => id);
    await report.show({
      document: { schema: 'paycli.live-lock/1', ended: ids },
      text: () =>
        ids.length === 0
          ? 'there was no active lease: each live payment asks for the merchant login\n'
          : `${report.paint.good('✓')} locked: ${ids.map((id) => `lease ${id}`).join(', ')} ended\n`,
    });
    return exits.ok;
  });
}

function statementOf({ operations, max }: WantedLease, until: string, session: Session): ConfirmationText {
  const commands = operations.map(commandOf).join(', ');
  return {
    title: 'LIVE unlock: these payments will not ask for the merchant login',
    rows: [
      ['commands', commands],
      [
        'total limit',
        `at most ${amountInWords(BigInt(max.minor), digitsOf(max.currency, 'iso4217', '') ?? 0, max.currency)}`,
      ],
      ['until', until],
      ['gateway', accountText(session)],
      ...connectionRows(session),
    ],
    question: `LIVE unlock of ${commands} up to ${sumText(max)}: type the merchant login to continue`,
    why: 'a lease needs a confirmation',
  };
}

function commandOf(id: string): string {
  return operations.find((row) => row.id === id)?.command ?? id;
}

function leaseText({ id, operations, max, until }: Lease, report: Reporter): string {
  const what = `${operations.map(commandOf).join(', ')} up to ${sumText(max)} in total, until ${report.moment(until)}`;
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
