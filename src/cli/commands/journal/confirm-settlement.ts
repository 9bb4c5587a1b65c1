import { fail, ifInterrupted } from '../../../errors/index.js';
import { type Intent, wasSettledManually } from '../../../journal/index.js';
import { mayPrompt, saysYes } from '../../command.js';
import { commandFor } from '../../core/storage-fault.js';
import { oneLine } from '../../format/document.js';
import { sumOf } from '../../format/journal-entries.js';
import { commandOf } from '../../format/meaning.js';
import { profileText } from '../../format/profile.js';
import type { Tools } from '../../gateway.js';
import { showConfirmation } from '../../live.js';

/** What is settled manually, as typed. */
interface Settlement {
  readonly settleAs?: string;
  readonly evidence?: string;
  readonly yes?: boolean;
}

/**
 * On a terminal, shows what is recorded by a person's decision and asks. A script gave the outcome and the evidence,
 * and is not asked. Throws CANCELLED where the answer is no.
 */
export async function confirmSettlement(
  intent: Intent,
  options: Settlement,
  { runtime, session, options: common }: Tools,
): Promise<void> {
  if (options.yes === true || !mayPrompt(common, runtime)) return;
  const outcome = options.settleAs === 'paid' ? 'paid' : 'not paid';
  const state = options.settleAs === 'paid' ? 'done' : 'declined';
  const isLive = intent.class === 'live' || session.class === 'live';
  const amount = sumOf(intent);
  const title = `${isLive ? 'LIVE ' : ''}manual settlement: your decision is recorded, nothing is sent`;
  showConfirmation(
    {
      title,
      rows: [
        ['order', intent.orderId ?? 'no gateway order id is known'],
        ['client order id', intent.clientOrderId ?? 'none'],
        ['operation', commandOf(intent)],
        ['amount', amount === '' ? 'none' : amount],
        ['profile', `${profileText(intent)}, login ${intent.login}, ${intent.base}`],
        ['state now', wasSettledManually(intent.reason) ? `${intent.state}, settled manually` : intent.state],
        ['recorded as', `${outcome} (state ${state})`],
        ['evidence', oneLine(options.evidence ?? '')],
      ],
    },
    common,
    runtime,
  );
  const request = `${commandOf(intent)} as ${outcome}?`;
  const message = isLive ? `LIVE: record this ${request}` : `Record this ${request}`;
  if (!(await saysYes('record it', message, common, runtime).catch(ifInterrupted('nothing was recorded'))))
    throw fail('CANCELLED', {
      why: 'nothing was recorded',
      how: `\`${commandFor('journal', intent, session.flags)}\` shows the request; --yes skips the question`,
      command: 'resolve',
    });
}
