import { fail, ifInterrupted } from '../../../errors/index.js';
import type { Request } from '../../../journal/port.js';
import { wasMarked } from '../../../journal/states.js';
import { mayPrompt, saysYes } from '../../command.js';
import { commandFor } from '../../core/storage-fault.js';
import { oneLine } from '../../format/document.js';
import { commandOf, sumOf } from '../../format/meaning.js';
import { profileText } from '../../format/profile.js';
import { showConfirmation } from '../../live.js';
import type { ResolveTools } from './resolve-report.js';

/**
 * On a terminal, shows what is recorded by a person's decision and asks. A script gave the outcome and the evidence,
 * and is not asked. Throws CANCELLED where the answer is no.
 */
export async function confirmMark(
  request: Request,
  outcome: 'paid' | 'not-paid',
  { runtime, session, options }: ResolveTools,
): Promise<void> {
  if (options.yes === true || !mayPrompt(options, runtime)) return;
  const word = outcome.replace('-', ' ');
  const isLive = request.class === 'live' || session.class === 'live';
  const amount = sumOf(request);
  showConfirmation(
    {
      title: `${isLive ? 'LIVE ' : ''}manual settlement: your decision is recorded, nothing is sent`,
      rows: [
        ['order', request.orderId ?? 'no gateway order id is known'],
        ['client order id', request.clientOrderId ?? 'none'],
        ['operation', commandOf(request)],
        ['amount', amount === '' ? 'none' : amount],
        ['profile', `${profileText(request)}, login ${request.login}, ${request.base}`],
        ['state now', wasMarked(request) ? `${request.state}, marked by hand` : request.state],
        ['recorded as', `${word} (state ${outcome === 'paid' ? 'done' : 'declined'})`],
        ['evidence', oneLine(options.evidence ?? '')],
      ],
    },
    options,
    runtime,
  );
  const question = `${commandOf(request)} as ${word}?`;
  const message = isLive ? `LIVE: record this ${question}` : `Record this ${question}`;
  if (await saysYes('record it', message, options, runtime).catch(ifInterrupted('nothing was recorded'))) return;
  throw fail('CANCELLED', {
    why: 'nothing was recorded',
    how: `\`${commandFor('journal', request, session.flags)}\` shows the request; --yes skips the question`,
    command: 'resolve',
  });
}
