import { createHash } from 'node:crypto';
import { html } from 'hono/html';
import { paresResults } from '../../spec/index.js';
import { openStepText } from '../../spec/lifecycle.js';
import {
  encodeChallengeResponse,
  encodeMethodNotification,
  encodePayerResponse,
  readChallengeRequest,
  readMethodData,
  readPayerRequest,
  xidOf,
} from '../../threeds/messages.js';
import { webAddress } from '../../wire/address.js';
import { decimalText } from '../../wire/amount.js';
import type { Pair } from '../../wire/form.js';
import type { SandboxReply } from '../request.js';
import { completeAuthentication } from '../threeds.js';
import { visits } from '../visits.js';
import {
  amountText,
  factList,
  type Html,
  hiddenInputs,
  hostedPage,
  htmlReply,
  messagePage,
  type PagePolicy,
  pagesPath,
  seeOther,
  sendForm,
  summary,
} from './html.js';
import { isGatewayLed, type PageSession, recordPageEvent } from './page-session.js';

const challengeSteps: readonly string[] = ['challenge', 'pareq', 'simplified'];

/**
 * A page of the access control server, opened by a browser: with a message of the merchant, or by its address alone.
 */
export function showAcsPage(session: PageSession, pairs: readonly Pair[]): SandboxReply {
  const sent = Object.fromEntries(pairs);
  const { threeDSMethodData, creq, PaReq } = sent;
  if (threeDSMethodData !== undefined) return receiveMethodData(session, threeDSMethodData);
  if (session.visit.transStatus !== undefined && !isGatewayLed(session)) return returnToMerchant(session, pairs);
  if (creq !== undefined) return showChallenge(session, pairs, challengeRequestFault(session, creq));
  if (PaReq !== undefined) return showChallenge(session, pairs, payerRequestFault(session, PaReq));
  return pageForStep(session);
}

function pageForStep(session: PageSession): SandboxReply {
  const { opening, visit } = session;
  if (challengeSteps.includes(opening.step) && opening.status === 'processing') return showChallenge(session, []);
  const isMethod = opening.step === 'method' || opening.step === 'frictionless';
  if (isMethod && !isGatewayLed(session)) return htmlReply(methodStepPendingPage(session), { refresh: 2 });
  return seeOther(`${pagesPath}/form/${visit.token}`);
}

/** A payer who comes too early: the shop's page comes first. */
function methodStepPendingPage(session: PageSession): Html {
  const { id } = session.order;
  return hostedPage(
    { title: '3-D Secure' },
    html`${summary(session, '3-D Secure')}
      <p class="notice wait">
        The merchant's own page loads the method frame and submits its result; then this page goes on. Without such a
        page, <code>paycli sandbox pay ${id}</code> in a terminal does both.
      </p>`,
  );
}

function refusalPage(session: PageSession, what: string, why: string): SandboxReply {
  recordPageEvent(session, `3-D Secure ${what} refused: ${why}`);
  return htmlReply(messagePage('3-D Secure', `Invalid ${what}: ${why}.`), { status: 400 });
}

/** The frame of the method step. Every load counts; the first one is the one in time or not. */
function receiveMethodData(session: PageSession, data: string): SandboxReply {
  const reading = readMethodData(data);
  if (!reading.ok) return refusalPage(session, 'method data', reading.why);
  return reading.tdsId === session.opening.tdsId
    ? methodFrame(session, reading.notificationUrl)
    : refusalPage(session, 'method data', 'threeDSServerTransID does not match this order');
}

/** The frame as the gateway's own wait page loads it, or the merchant's after its data were read. */
export function methodFrame(session: PageSession, notificationUrl: string | undefined): SandboxReply {
  const { visit, opening, now, order } = session;
  if (visit.framedAt === undefined) {
    visits.update(session.store, visit.token, { framedAt: now });
    recordPageEvent(session, '3-D Secure method frame loaded');
  }
  const page = methodPage(opening.tdsId ?? '', notificationUrl);
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
  if (fault !== undefined) return refusalPage(session, 'request', fault);
  recordPageEvent(session, '3-D Secure challenge shown');
  return htmlReply(challengePage(session, echoedFields(pairs)), challengePolicy(session));
}

/** A merchant may show the challenge in a frame of its own page. */
function challengePolicy({ order }: PageSession, formsTo: readonly (string | undefined)[] = []): PagePolicy {
  return { formsTo, framedBy: [order.redirectUrl] };
}

function echoedFields(pairs: readonly Pair[]): Pair[] {
  return pairs.filter(([name]) => ['threeDSSessionData', 'MD', 'TermUrl'].includes(name));
}

/** Which button the payer pressed. */
export function submitChallenge(session: PageSession, pairs: readonly Pair[]): SandboxReply {
  const { opening, visit, store } = session;
  if (visit.transStatus !== undefined && !isGatewayLed(session)) return returnToMerchant(session, pairs);
  if (opening.status !== 'processing' || !challengeSteps.includes(opening.step))
    return seeOther(`${pagesPath}/form/${visit.token}`);
  const { action } = Object.fromEntries(pairs);
  const transStatus = action === 'confirm' ? successTransStatus(session) : 'N';
  const end = { transStatus, cancel: action === 'cancel' ? '01' : undefined } as const;
  recordPageEvent(session, `3-D Secure challenge ended: ${transStatus}`, { action: action ?? '' });
  visits.update(store, visit.token, end);
  if (!isGatewayLed(session)) return returnToMerchant({ ...session, visit: { ...visit, ...end } }, pairs);
  completeAuthentication(session, transStatus === 'N' ? 'NOT_AUTHENTICATED' : 'AUTHENTICATED');
  return seeOther(`${pagesPath}/form/${visit.token}`);
}

/** The way back to the merchant, also for a payer who comes a second time. */
function returnToMerchant(session: PageSession, kept: readonly Pair[]): SandboxReply {
  const { to, fields } = merchantAnswer(session, kept);
  const isDone = session.visit.transStatus !== 'N';
  return htmlReply(answerPage(to, fields, isDone), challengePolicy(session, [to]));
}

/** What the payer's browser posts to the merchant once the issuer is done, and where. */
export function merchantAnswer(
  session: PageSession,
  kept: readonly Pair[],
): { readonly to: string | undefined; readonly fields: readonly Pair[] } {
  const { visit, order, opening } = session;
  const transStatus = visit.transStatus === 'Y' || visit.transStatus === 'A' ? visit.transStatus : 'N';
  const field = authenticationResponse(session, transStatus, visit.cancel === '01' ? '01' : undefined);
  const isPares = field[0] === 'PaRes';
  const { TermUrl, ...echoed } = Object.fromEntries(echoedFields(kept));
  const isTerm = isPares && TermUrl !== undefined && webAddress(TermUrl) !== undefined;
  const md = isPares && echoed['MD'] === undefined ? { MD: opening.tdsId ?? '' } : {};
  return { to: isTerm ? TermUrl : order.redirectUrl, fields: [field, ...Object.entries({ ...md, ...echoed })] };
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
function authenticationResponse(session: PageSession, transStatus: TransStatus, cancel: '01' | undefined): Pair {
  const { order, opening, now } = session;
  const { tdsId = '', acsId = '', amount } = opening;
  if (opening.step !== 'pareq')
    return ['cres', encodeChallengeResponse({ tdsId, acsId, transStatus: transStatus === 'N' ? 'N' : 'Y', cancel })];
  const cavv = createHash('sha1').update(acsId).digest('base64');
  const eci = transStatus === 'N' ? '07' : paresResultFor(amount, order.digits).eci;
  const purchase = { orderId: order.id, amountMinor: String(order.amount ?? 0n), digits: order.digits };
  return ['PaRes', encodePayerResponse({ ...purchase, status: transStatus, eci, cavv, at: now })];
}

/** The issuer's question to the cardholder. `kept` is what the merchant wants back with the answer. */
function challengePage({ order, visit }: PageSession, kept: readonly Pair[]): Html {
  const facts = factList([
    ['Merchant', order.login],
    ['Amount', amountText(order)],
    ['Order', order.clientOrderId],
  ]);
  return hostedPage(
    { title: 'Confirm with your bank' },
    html`<p class="hint">Test bank</p>
      <h1>Confirm it’s you</h1>
      ${facts}
      <form method="post" action="${pagesPath}/3ds/${visit.token}/answer">
        ${hiddenInputs([['csrf', visit.csrf], ...kept])}
        <button type="submit" name="action" value="confirm">Confirm</button>
        <button type="submit" name="action" value="fail" class="quiet">Fail the check</button>
        <button type="submit" name="action" value="cancel" class="quiet">Cancel</button>
      </form>`,
  );
}

/** Takes the issuer's answer to the merchant; where that has no address to come back to, it stands on the page. */
function answerPage(to: string | undefined, fields: readonly Pair[], isDone: boolean): Html {
  const [[name, value] = ['', '']] = fields;
  const text = html`<p>The order has no return address. If it had one, the bank would send this to it as ${name}:</p>
    <p><code id="answer" data-field="${name}">${value}</code></p>`;
  return hostedPage(
    { title: to === undefined ? 'Bank response' : 'Back to the merchant', isSending: to !== undefined },
    html`<p class="hint">Test bank</p>
      <h1>${isDone ? 'Thank you, confirmed' : 'Not confirmed'}</h1>
      ${to === undefined ? text : sendForm({ to, fields, label: 'Back to the merchant', after: 300 })}`,
  );
}

/** What runs in the hidden frame of the method step. A bank would look at the browser here. */
function methodPage(tdsId: string, to: string | undefined): Html {
  const fields: readonly Pair[] = [['threeDSMethodData', encodeMethodNotification(tdsId)]];
  const collected = html`<p>The bank has collected the browser data.</p>`;
  return hostedPage(
    { title: '3-D Secure method step', isSending: to !== undefined },
    html`<h1>Method step done</h1>
      ${to === undefined ? collected : sendForm({ to, fields, label: 'Notify the merchant', after: 0, always: true })}`,
  );
}
