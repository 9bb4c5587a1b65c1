import { fail, shellWord } from '../../../errors/index.js';
import { describeIntent, type Intent, type Journal } from '../../../journal/index.js';
import { type ApprovalFacts, judgeApproval } from '../../../payments/second-person.js';
import type { Tools } from '../../core/gateway-context.js';
import type { Session } from '../../core/session.js';
import { readApproval } from '../keys/approval-file.js';
import { approversOf } from '../keys/approvers.js';
import { createFiles, pathOf } from '../keys/key-files.js';
import { type ApprovalRequest, approvableRequest, requestAbout, requestText, type Wanted } from './approval-request.js';

/** Flags that name a second person or exchange a signed approval. */
export interface SecondPersonOptions {
  readonly approvedBy?: string;
  /** The file for the request that a second person signs. */
  readonly requestFile?: string;
  /** The file with the signed approval. */
  readonly approvalFile?: string;
}

/** Who agreed; `approval` is the signed approval, if any. */
export interface Agreement {
  readonly by: string | null;
  readonly approval?: ApprovalFacts;
}

export const approvalSchema = 'paycli.resolve-approval-file/1';
const command = 'resolve';

/** Why a second person has to sign, as a clause: on live, or where the profile requires approvals. */
function signatureReason(intent: Intent, { name, class: kind, caps }: Session): string | undefined {
  if (kind === 'live' || intent.class === 'live') return `profile ${name} is live`;
  return caps.requireApproval ? `profile ${name} requires it (require-approval)` : undefined;
}

/** Whether a typed name is not accepted: a signature is needed. */
export function signatureNeeded(intent: Intent, session: Session): boolean {
  return signatureReason(intent, session) !== undefined;
}

/** Checks the second person before the gateway is queried. Throws USAGE or CONFIRMATION_NEEDED. */
export function checkSecondPerson(
  intent: Intent,
  wanted: Wanted,
  { session }: Tools,
  options: SecondPersonOptions,
): void {
  const { approvedBy, requestFile, approvalFile } = options;
  const reason = signatureReason(intent, session);
  if (reason !== undefined && approvedBy !== undefined)
    throw fail('typedNameNotAccepted', { reason, ask: howToAsk(intent, wanted, session) });
  if (reason !== undefined || requestFile !== undefined || approvalFile !== undefined) return;
  if (wanted.action !== 'send it once more') return;
  if ((approvedBy ?? '').trim() === '') throw fail('resendNeedsSecondPerson', { command });
}

/**
 * The second person who agreed. If a signature is needed and missing, writes the request to the named file, if any, and
 * throws CONFIRMATION_NEEDED, as for an approval that is not valid.
 */
export async function agreementTo(
  intent: Intent,
  wanted: Wanted,
  journal: Journal,
  tools: Tools,
  options: SecondPersonOptions,
): Promise<Agreement> {
  const { session, runtime } = tools;
  const { approvedBy, requestFile, approvalFile } = options;
  const request = requestAbout(intent, wanted, journal, runtime);
  if (approvalFile !== undefined)
    return signedAgreement(request, approvalFile, tools, howToAsk(intent, wanted, session));
  const reason = signatureReason(intent, session);
  if (reason === undefined && requestFile === undefined) return { by: approvedBy ?? null };
  if (requestFile !== undefined)
    createFiles([{ path: pathOf(requestFile, runtime), text: requestText(request), mode: 0o600 }], command, runtime);
  throw fail('secondPersonHasToSign', {
    what: describeIntent(intent),
    action: wanted.action,
    reason: reason === undefined ? '' : `, because ${reason}`,
    ask:
      requestFile === undefined
        ? howToAsk(intent, wanted, session)
        : howToContinue(requestFile, intent, wanted, session),
  });
}

async function signedAgreement(
  request: ApprovalRequest,
  file: string,
  { runtime }: Tools,
  ask: string,
): Promise<Agreement> {
  const facts = readApproval(file, approvalSchema, command, runtime);
  const wanted = approvableRequest(request);
  if (facts['digest'] !== wanted.digest) throw fail('approvalOfAnotherRequest', { file, ask });
  const verdict = judgeApproval(facts, wanted, await approversOf(runtime), runtime.clock.now());
  if (!verdict.valid) throw fail('approvalNotAccepted', { file, verdict: verdict.why, ask });
  return { by: verdict.by, approval: facts };
}

function howToAsk(intent: Intent, wanted: Wanted, session: Session): string {
  return `\`${commandWith('--request-file FILE', intent, wanted, session)}\` writes the request a second person must sign`;
}

function howToContinue(file: string, intent: Intent, wanted: Wanted, session: Session): string {
  return `have someone else sign it on their own account: there, \`paycli resolve --approve COPY --key-file KEY --approval-file NEW\`, with a copy of ${shellWord(file)}, and here \`${commandWith('--approval-file NEW', intent, wanted, session)}\` within 24 hours`;
}

function commandWith(flag: string, { id }: Intent, { action, evidence }: Wanted, { flags }: Session): string {
  const what =
    action === 'send it once more'
      ? '--resend'
      : `--settle-as ${action === 'settle it as paid' ? 'paid' : 'not-paid'} --evidence ${shellWord(evidence ?? '')}`;
  return `paycli resolve --entry ${id} ${what} ${flag}${flags}`;
}
