import { exits, fail, ifInterrupted, shellWord } from '../../../errors/index.js';
import type { Journal, Request } from '../../../journal/port.js';
import { approvalMs, approveResend, checkResend } from '../../../payments/resend.js';
import { noSuchOrder } from '../../../payments/settle.js';
import { describe } from '../../../payments/words.js';
import { mayPrompt } from '../../command.js';
import { currentUser } from '../../core/current-user.js';
import { requestDocument } from '../../format/journal-entries.js';
import { idWord } from '../../format/meaning.js';
import { queryOnce } from './resolve-by-status.js';
import { type ResolveTools, reportResult } from './resolve-report.js';

/** Allows one resend, after another status query: an order that exists by now must not be sent again. */
export async function allowResend(request: Request, journal: Journal, tools: ResolveTools): Promise<number> {
  const { runtime, report } = tools;
  const denials = async () =>
    (await journal.events({ request: request.id })).filter(({ reason }) => reason === noSuchOrder).length;
  const before = await denials();
  const queried = await queryOnce(request, journal, tools);
  const { request: now } = queried;
  if (now.state !== 'unknown') {
    report.notes([`${describe(now)}: its state is ${now.state.replace('_', ' ')}, so it may not be sent once more`]);
    return reportResult([queried], tools, true);
  }
  await checkResend(journal, now);
  // Without an answer to this very query the order may be there by now.
  if ((await denials()) === before) return reportResult([queried], tools, true);
  await confirmResend(now, tools);
  await approveResend(journal, now, currentUser(runtime), runtime.clock.now());
  const id = idWord(now.clientOrderId ?? '', 'clientOrderId', 'ID');
  const how = `run the same command again, with --client-order-id ${id} and all other flags unchanged`;
  await report.show({
    document: {
      schema: 'paycli.resend/1',
      until: new Date(runtime.clock.now() + approvalMs).toISOString(),
      entry: requestDocument(now),
    },
    text: () => `allowed once, for ${approvalMs / 60_000} minutes: ${how}\n`,
  });
  return exits.ok;
}

/** The id of the order has to be typed, or given with --confirm-resend. Throws CONFIRMATION_NEEDED. */
async function confirmResend(request: Request, { options, runtime }: ResolveTools): Promise<void> {
  const { confirmResend: confirmed } = options;
  const id = request.clientOrderId ?? '';
  const what = describe(request);
  if (confirmed === undefined && !mayPrompt(options, runtime))
    throw fail('CONFIRMATION_NEEDED', {
      why: `${what}: the gateway has no such order now, and a request on its way could still arrive: sent once more, it may be paid twice`,
      how: `nothing was changed; to allow it, repeat the command with --confirm-resend ${shellWord(id, 'ID')}`,
    });
  const prompter = confirmed === undefined ? await runtime.prompter(options.color) : undefined;
  const message = `Sent once more, ${what} may be paid twice: type its client order id to allow it`;
  const typed = await prompter?.ask({ name: 'resend', message }).catch(ifInterrupted('nothing was changed'));
  if ((confirmed ?? typed) !== id)
    throw fail('CONFIRMATION_NEEDED', {
      why: 'that is not the id of this order',
      how: `nothing was changed; its id is ${id}`,
    });
}
