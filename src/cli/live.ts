import { fail } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';
import type { Unsigned } from '../signing/index.js';
import type { CommonOptions } from './options.js';
import type { Session } from './session.js';

/**
 * A live profile needs --live on this very command line, and a payment the merchant login typed besides. A profile of
 * another class refuses --live. Throws LIVE_GUARD.
 */
export async function confirmLive(unsigned: Unsigned, options: CommonOptions, session: Session, runtime: Runtime): Promise<void> {
  const { row } = unsigned;
  if (session.class !== 'live') {
    if (options.live === true)
      throw fail('LIVE_GUARD', {
        why: `--live was given, but profile ${session.name} is of class ${session.class}`,
        how: 'leave --live out, or choose a live profile',
      });
    return;
  }
  if (options.live !== true)
    throw fail('LIVE_GUARD', {
      why: `profile ${session.name} is live and moves real money`,
      how: 'add --live to this command line if that is meant',
    });
  if (row.basis === 'A08' && session.assume['payout-pay'] !== 'accepted')
    throw fail('LIVE_GUARD', {
      why: `${row.command} is assumed as a whole, not stated by the interface`,
      how: 'set assume: { payout-pay: accepted } in the profile once the gateway confirmed it',
    });
  if (row.effect !== 'money') return;
  const typed = options.confirmLogin ?? (await askLogin(unsigned, session, options, runtime));
  if (typed !== session.login)
    throw fail('LIVE_GUARD', { why: 'the login that was typed is not the login of the profile', how: 'nothing was sent; start again' });
}

async function askLogin(unsigned: Unsigned, session: Session, options: CommonOptions, runtime: Runtime): Promise<string> {
  if (!runtime.terminal.canPrompt || options.input === false)
    throw fail('LIVE_GUARD', {
      why: 'a live payment needs a confirmation, and there is no terminal to ask on',
      how: 'add --confirm-login LOGIN',
    });
  const prompter = await runtime.prompter(options.color);
  const { amount, currency } = unsigned.values;
  const sum = amount === undefined ? 'the whole amount' : `${amount} ${currency ?? ''} (${unsigned.minor ?? ''} in minor units)`;
  return prompter.ask({
    name: 'login',
    message: `LIVE ${unsigned.row.command} of ${sum}: type the merchant login to go on`,
    hint: session.name,
  });
}
