import { readChallengeRequest, readMethodData, readPayerRequest, xidOf } from '../../threeds/index.js';
import { webAddress } from '../../wire/address.js';
import type { Pair } from '../../wire/form.js';
import { changeVisit } from '../ledger/visits.js';
import { Layout, MessagePage, Summary } from '../pages/layout.js';
import { authenticated, isLed, note, type Stay } from '../pages/progress.js';
import { type Allowance, htmlReply, pagesPath, seeOther } from '../pages/reply.js';
import type { SandboxReply } from '../request.js';
import { answerField, goodWord, type Word } from './answer.js';
import { AnswerPage, AnswerText, ChallengePage, mostTries } from './challenge-page.js';
import { MethodPage } from './method-page.js';

/** A page of the access control server, opened by a browser: with a message of the merchant, or by its address alone. */
export function openAcs(stay: Stay, pairs: readonly Pair[]): SandboxReply {
  const sent = Object.fromEntries(pairs);
  const { threeDSMethodData, creq, PaReq } = sent;
  if (threeDSMethodData !== undefined) return method(stay, threeDSMethodData);
  if (stay.visit.word !== undefined && !isLed(stay)) return answered(stay, keptOf(pairs));
  if (creq !== undefined) return challenge(stay, pairs, requestFault(stay, creq));
  if (PaReq !== undefined) return challenge(stay, pairs, payerFault(stay, PaReq));
  return byStep(stay);
}

function byStep(stay: Stay): SandboxReply {
  const { opening, visit } = stay;
  switch (opening.step) {
    case 'challenge':
    case 'pareq':
    case 'simplified':
      return opening.status === 'processing' ? challenge(stay, []) : seeOther(`${pagesPath}/form/${visit.token}`);
    case 'method':
    case 'frictionless':
      if (!isLed(stay)) return htmlReply(<MerchantsTurn stay={stay} />);
      return seeOther(`${pagesPath}/form/${visit.token}`);
    default:
      return seeOther(`${pagesPath}/form/${visit.token}`);
  }
}

/** A payer who comes too early: the shop's page comes first. */
function MerchantsTurn({ stay: { order, opening } }: { readonly stay: Stay }) {
  return (
    <Layout title="3-D Secure">
      <Summary order={order} opening={opening} title="3-D Secure" />
      <p class="notice wait">The merchant's own page has to load the method frame here and hand in its result.</p>
    </Layout>
  );
}

function refused(why: string, status = 200): SandboxReply {
  return htmlReply(<MessagePage title="3-D Secure">{why}</MessagePage>, { status });
}

/** The frame of the method step. Every load counts; the first one is the one in time or not. */
export function method(stay: Stay, data: string): SandboxReply {
  const reading = readMethodData(data);
  const why = reading.ok
    ? reading.tdsId === stay.opening.tdsId
      ? undefined
      : 'threeDSServerTransID is not the one of this order'
    : reading.why;
  if (!reading.ok || why !== undefined) {
    note(stay, `3-D Secure method frame refused: ${why ?? ''}`);
    return refused(`The method data cannot be used: ${why ?? ''}.`, 400);
  }
  return framed(stay, reading.notificationUrl);
}

/** The frame as the gateway's own wait page loads it, or the merchant's after its data were read. */
export function framed(stay: Stay, notificationUrl: string | undefined): SandboxReply {
  const { visit, opening, now, order } = stay;
  if (visit.framedAt === undefined) {
    changeVisit(stay.store, visit, { framedAt: now });
    note(stay, '3-D Secure method frame loaded');
  }
  const page = <MethodPage tdsId={opening.tdsId ?? ''} notificationUrl={notificationUrl} />;
  return htmlReply(page, { formsTo: [notificationUrl], framedBy: [order.redirectUrl, notificationUrl] });
}

function requestFault({ opening }: Stay, creq: string): string | undefined {
  const reading = readChallengeRequest(creq);
  if (!reading.ok) return reading.why;
  if (opening.step !== 'challenge') return `the order does not wait for a challenge; the open step is: ${opening.step}`;
  const isRight = reading.tdsId.toLowerCase() === opening.tdsId && reading.acsId.toLowerCase() === opening.acsId;
  return isRight ? undefined : 'creq is about another 3-D Secure transaction';
}

function payerFault({ opening, order }: Stay, pareq: string): string | undefined {
  const reading = readPayerRequest(pareq);
  if (!reading.ok) return reading.why;
  if (opening.step !== 'pareq') return `the order does not wait for 3-D Secure 1.0.2; the open step is: ${opening.step}`;
  return reading.xid === xidOf(order.id) ? undefined : 'PaReq is about another order';
}

function challenge(stay: Stay, pairs: readonly Pair[], fault?: string): SandboxReply {
  if (fault !== undefined) {
    note(stay, `3-D Secure request refused: ${fault}`);
    return refused(`The request cannot be used: ${fault}.`, 400);
  }
  note(stay, '3-D Secure challenge shown');
  return htmlReply(<ChallengePage stay={stay} kept={keptOf(pairs)} isWrong={false} />, policyOf(stay));
}

/** A merchant may show the challenge in a frame of its own page. */
function policyOf({ order }: Stay, formsTo: readonly (string | undefined)[] = []): Allowance {
  return { formsTo, framedBy: [order.redirectUrl] };
}

function keptOf(pairs: readonly Pair[]): Pair[] {
  return pairs.filter(([name]) => ['threeDSSessionData', 'MD', 'TermUrl'].includes(name));
}

/** What the payer answered: the code, or the cancel button. */
export function answer(stay: Stay, pairs: readonly Pair[]): SandboxReply {
  const { opening, visit, store } = stay;
  const kept = keptOf(pairs);
  const isOpen = opening.status === 'processing' && ['challenge', 'pareq', 'simplified'].includes(opening.step);
  if (visit.word !== undefined && !isLed(stay)) return answered(stay, kept);
  if (!isOpen) return seeOther(`${pagesPath}/form/${visit.token}`);
  const sent = Object.fromEntries(pairs);
  if (sent['action'] === 'cancel') return decide(stay, kept, 'N', '01');
  if (sent['code']?.trim() === visit.code) return decide(stay, kept, goodWord(stay), undefined);
  const tries = visit.tries + 1;
  changeVisit(store, visit, { tries });
  note(stay, `3-D Secure: wrong code, ${tries} of ${mostTries}`);
  if (tries >= mostTries) return decide(stay, kept, 'N', undefined);
  const page = <ChallengePage stay={{ ...stay, visit: { ...visit, tries } }} kept={kept} isWrong={true} />;
  return htmlReply(page, { ...policyOf(stay), status: 422 });
}

function decide(stay: Stay, kept: readonly Pair[], word: Word, cancel: '01' | undefined): SandboxReply {
  note(stay, `3-D Secure challenge ended: ${word}`, cancel === undefined ? {} : { cancel });
  changeVisit(stay.store, stay.visit, { word, cancel });
  if (!isLed(stay)) return answered({ ...stay, visit: { ...stay.visit, word, cancel } }, kept);
  authenticated(stay, word !== 'N');
  return seeOther(`${pagesPath}/form/${stay.visit.token}`);
}

/** The way back to the merchant, also for a payer who comes a second time. */
function answered(stay: Stay, kept: readonly Pair[]): SandboxReply {
  const word: Word = stay.visit.word === 'Y' || stay.visit.word === 'A' ? stay.visit.word : 'N';
  const field = answerField(stay, word, stay.visit.cancel === '01' ? '01' : undefined);
  const isDone = word !== 'N';
  const { TermUrl, ...echoed } = Object.fromEntries(kept);
  const to = field[0] === 'PaRes' && TermUrl !== undefined && webAddress(TermUrl) !== undefined ? TermUrl : stay.order.redirectUrl;
  if (to === undefined) return htmlReply(<AnswerText field={field} isDone={isDone} />, policyOf(stay));
  const md = field[0] === 'PaRes' && echoed['MD'] === undefined ? { MD: stay.opening.tdsId ?? '' } : {};
  const fields = [field, ...Object.entries({ ...md, ...echoed })];
  return htmlReply(<AnswerPage to={to} fields={fields} isDone={isDone} />, policyOf(stay, [to]));
}
