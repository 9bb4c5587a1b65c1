import { createHash } from 'node:crypto';
import { paresResults } from '../../../spec/index.js';
import { openStepText } from '../../../spec/lifecycle.js';
import {
  encodeChallengeResponse,
  encodePayerResponse,
  readChallengeRequest,
  readMethodData,
  readPayerRequest,
  xidOf,
} from '../../../threeds/index.js';
import { webAddress } from '../../../wire/address.js';
import { decimalText } from '../../../wire/amount.js';
import type { Pair } from '../../../wire/form.js';
import type { SandboxReply } from '../../checks/request.js';
import { changeVisit } from '../../ledger/visits.js';
import { htmlReply, Layout, MessagePage, type PagePolicy, pagesPath, Summary, seeOther } from '../pages/html.js';
import { finishAuthentication, isGatewayLed, type PageSession, recordPageEvent } from '../pages/page-session.js';
import { AnswerPage, AnswerText, ChallengePage, MethodPage, maxCodeAttempts } from './acs-pages.js';

/**
 * A page of the access control server, opened by a browser: with a message of the merchant, or by its address alone.
 */
export function showAcsPage(session: PageSession, pairs: readonly Pair[]): SandboxReply {
  const sent = Object.fromEntries(pairs);
  const { threeDSMethodData, creq, PaReq } = sent;
  if (threeDSMethodData !== undefined) return receiveMethodData(session, threeDSMethodData);
  if (session.visit.transStatus !== undefined && !isGatewayLed(session))
    return returnToMerchant(session, echoedFields(pairs));
  if (creq !== undefined) return showChallenge(session, pairs, challengeRequestFault(session, creq));
  if (PaReq !== undefined) return showChallenge(session, pairs, payerRequestFault(session, PaReq));
  return pageForStep(session);
}

function pageForStep(session: PageSession): SandboxReply {
  const { opening, visit } = session;
  switch (opening.step) {
    case 'challenge':
    case 'pareq':
    case 'simplified':
      return opening.status === 'processing'
        ? showChallenge(session, [])
        : seeOther(`${pagesPath}/form/${visit.token}`);
    case 'method':
    case 'frictionless':
      if (!isGatewayLed(session)) return htmlReply(<MethodStepPendingPage session={session} />);
      return seeOther(`${pagesPath}/form/${visit.token}`);
    default:
      return seeOther(`${pagesPath}/form/${visit.token}`);
  }
}

/** A payer who comes too early: the shop's page comes first. */
function MethodStepPendingPage({ session: { order, opening } }: { readonly session: PageSession }) {
  return (
    <Layout title="3-D Secure">
      <Summary order={order} opening={opening} title="3-D Secure" />
      <p class="notice wait">The merchant's own page must load the method frame here and submit its result.</p>
    </Layout>
  );
}

function refusalPage(why: string, status = 200): SandboxReply {
  return htmlReply(<MessagePage title="3-D Secure">{why}</MessagePage>, { status });
}

/** The frame of the method step. Every load counts; the first one is the one in time or not. */
function receiveMethodData(session: PageSession, data: string): SandboxReply {
  const reading = readMethodData(data);
  const why = reading.ok
    ? reading.tdsId === session.opening.tdsId
      ? undefined
      : 'threeDSServerTransID does not match this order'
    : reading.why;
  if (!reading.ok || why !== undefined) {
    recordPageEvent(session, `3-D Secure method frame refused: ${why ?? ''}`);
    return refusalPage(`Invalid method data: ${why ?? ''}.`, 400);
  }
  return methodFrame(session, reading.notificationUrl);
}

/** The frame as the gateway's own wait page loads it, or the merchant's after its data were read. */
export function methodFrame(session: PageSession, notificationUrl: string | undefined): SandboxReply {
  const { visit, opening, now, order } = session;
  if (visit.framedAt === undefined) {
    changeVisit(session.store, visit, { framedAt: now });
    recordPageEvent(session, '3-D Secure method frame loaded');
  }
  const page = <MethodPage tdsId={opening.tdsId ?? ''} notificationUrl={notificationUrl} />;
  return htmlReply(page, { formsTo: [notificationUrl], framedBy: [order.redirectUrl, notificationUrl] });
}

function challengeRequestFault({ opening }: PageSession, creq: string): string | undefined {
  const reading = readChallengeRequest(creq);
  if (!reading.ok) return reading.why;
  if (opening.step !== 'challenge') return `the order is not waiting for a challenge; ${openStepText(opening.step)}`;
  const isRight = reading.tdsId.toLowerCase() === opening.tdsId && reading.acsId.toLowerCase() === opening.acsId;
  return isRight ? undefined : 'creq belongs to a different 3-D Secure transaction';
}

function payerRequestFault({ opening, order }: PageSession, pareq: string): string | undefined {
  const reading = readPayerRequest(pareq);
  if (!reading.ok) return reading.why;
  if (opening.step !== 'pareq') return `the order is not waiting for 3-D Secure 1.0.2; ${openStepText(opening.step)}`;
  return reading.xid === xidOf(order.id) ? undefined : 'PaReq belongs to a different order';
}

function showChallenge(session: PageSession, pairs: readonly Pair[], fault?: string): SandboxReply {
  if (fault !== undefined) {
    recordPageEvent(session, `3-D Secure request refused: ${fault}`);
    return refusalPage(`Invalid request: ${fault}.`, 400);
  }
  recordPageEvent(session, '3-D Secure challenge shown');
  return htmlReply(
    <ChallengePage session={session} kept={echoedFields(pairs)} isWrong={false} />,
    challengePolicy(session),
  );
}

/** A merchant may show the challenge in a frame of its own page. */
function challengePolicy({ order }: PageSession, formsTo: readonly (string | undefined)[] = []): PagePolicy {
  return { formsTo, framedBy: [order.redirectUrl] };
}

function echoedFields(pairs: readonly Pair[]): Pair[] {
  return pairs.filter(([name]) => ['threeDSSessionData', 'MD', 'TermUrl'].includes(name));
}

/** What the payer answered: the code, or the cancel button. */
export function submitChallenge(session: PageSession, pairs: readonly Pair[]): SandboxReply {
  const { opening, visit, store } = session;
  const kept = echoedFields(pairs);
  const isOpen = opening.status === 'processing' && ['challenge', 'pareq', 'simplified'].includes(opening.step);
  if (visit.transStatus !== undefined && !isGatewayLed(session)) return returnToMerchant(session, kept);
  if (!isOpen) return seeOther(`${pagesPath}/form/${visit.token}`);
  const sent = Object.fromEntries(pairs);
  if (sent['action'] === 'cancel') return concludeChallenge(session, kept, 'N', '01');
  if (sent['code']?.trim() === visit.code)
    return concludeChallenge(session, kept, successTransStatus(session), undefined);
  const tries = visit.tries + 1;
  changeVisit(store, visit, { tries });
  recordPageEvent(session, `3-D Secure: wrong code, ${tries} of ${maxCodeAttempts}`);
  if (tries >= maxCodeAttempts) return concludeChallenge(session, kept, 'N', undefined);
  const page = <ChallengePage session={{ ...session, visit: { ...visit, tries } }} kept={kept} isWrong={true} />;
  return htmlReply(page, { ...challengePolicy(session), status: 422 });
}

function concludeChallenge(
  session: PageSession,
  kept: readonly Pair[],
  transStatus: TransStatus,
  cancel: '01' | undefined,
): SandboxReply {
  recordPageEvent(session, `3-D Secure challenge ended: ${transStatus}`, cancel === undefined ? {} : { cancel });
  changeVisit(session.store, session.visit, { transStatus, cancel });
  if (!isGatewayLed(session))
    return returnToMerchant({ ...session, visit: { ...session.visit, transStatus, cancel } }, kept);
  finishAuthentication(session, transStatus !== 'N');
  return seeOther(`${pagesPath}/form/${session.visit.token}`);
}

/** The way back to the merchant, also for a payer who comes a second time. */
function returnToMerchant(session: PageSession, kept: readonly Pair[]): SandboxReply {
  const transStatus: TransStatus =
    session.visit.transStatus === 'Y' || session.visit.transStatus === 'A' ? session.visit.transStatus : 'N';
  const field = authenticationResponse(session, transStatus, session.visit.cancel === '01' ? '01' : undefined);
  const isDone = transStatus !== 'N';
  const { TermUrl, ...echoed } = Object.fromEntries(kept);
  const to =
    field[0] === 'PaRes' && TermUrl !== undefined && webAddress(TermUrl) !== undefined
      ? TermUrl
      : session.order.redirectUrl;
  if (to === undefined) return htmlReply(<AnswerText field={field} isDone={isDone} />, challengePolicy(session));
  const md = field[0] === 'PaRes' && echoed['MD'] === undefined ? { MD: session.opening.tdsId ?? '' } : {};
  const fields = [field, ...Object.entries({ ...md, ...echoed })];
  return htmlReply(<AnswerPage to={to} fields={fields} isDone={isDone} />, challengePolicy(session, [to]));
}

/** The issuer's last word on a payer: authenticated, attempted, or not. */
type TransStatus = 'Y' | 'A' | 'N';

/** What the right code leads to; in 3-D Secure 1.0.2 the amount decides. */
function successTransStatus({ order, opening }: PageSession): TransStatus {
  return opening.step === 'pareq' ? paresResultFor(order.amount, order.digits).status : 'Y';
}

const usualResult = { status: 'Y', eci: '05' } as const;

function paresResultFor(amount: bigint | undefined, digits: number) {
  return (amount === undefined ? undefined : paresResults[decimalText(amount, digits)]) ?? usualResult;
}

/** The message for the merchant: a CRes, or a PaRes where 1.0.2 is spoken. */
function authenticationResponse(session: PageSession, transStatus: TransStatus, cancel: '01' | '04' | undefined): Pair {
  const { order, opening, now } = session;
  const { tdsId = '', acsId = '', amount } = opening;
  if (opening.step !== 'pareq')
    return ['cres', encodeChallengeResponse({ tdsId, acsId, transStatus: transStatus === 'N' ? 'N' : 'Y', cancel })];
  const cavv = createHash('sha1').update(acsId).digest('base64');
  const eci = transStatus === 'N' ? '07' : paresResultFor(amount, order.digits).eci;
  const purchase = { orderId: order.id, amountMinor: String(order.amount ?? 0n), digits: order.digits };
  return ['PaRes', encodePayerResponse({ ...purchase, status: transStatus, eci, cavv, at: now })];
}
