import { fail } from '../../errors/index.js';
import type { Operation } from '../../spec/index.js';
import type { CommonOptions } from '../options.js';
import type { Session } from '../session.js';

/** A live profile needs --live on this very command line, and a profile of another class refuses it. Throws LIVE_GUARD. */
export function checkLiveFlag({ live }: Pick<CommonOptions, 'live'>, session: Pick<Session, 'name' | 'class'>): void {
  if (session.class !== 'live' && live === true)
    throw fail('LIVE_GUARD', {
      why: `--live was given, but profile ${session.name} is of class ${session.class}`,
      how: 'leave --live out, or choose a live profile',
    });
  if (session.class === 'live' && live !== true)
    throw fail('LIVE_GUARD', {
      why: `profile ${session.name} is live and moves real money`,
      how: 'add --live to this command line if that is meant',
    });
}

/** What can be said about a request on a live profile before anything is asked or written down. Throws LIVE_GUARD. */
export function checkLive(row: Operation, options: CommonOptions, session: Session): void {
  checkLiveFlag(options, session);
  if (session.class !== 'live') return;
  if (row.basis === 'A08' && session.assume['payout-pay'] !== 'accepted')
    throw fail('LIVE_GUARD', {
      why: `${row.command} is assumed as a whole, not stated by the interface`,
      how: 'set assume: { payout-pay: accepted } in the profile once the gateway confirmed it',
    });
  if (row.effect === 'money' && options.confirmLogin !== undefined) checkLogin(options.confirmLogin, session);
}

/** Throws LIVE_GUARD. */
export function checkLogin(typed: string, { name, login }: Pick<Session, 'name' | 'login'>): void {
  if (typed === login) return;
  throw fail('LIVE_GUARD', {
    why: `the login that was given is not the login of profile ${name}`,
    how: 'nothing was sent; check which profile is meant, then start again',
  });
}
