import { statuses } from '../../spec/index.js';
import { outcomeOf } from '../outcomes.js';
import { returnAddress, returnFields } from './browser-return.js';
import { wordingOf } from './form-page.js';
import { amountText, Layout, Summary } from './layout.js';
import type { Stay } from './progress.js';
import { pagesPath } from './reply.js';
import { SendForm } from './send-form.js';

/** Shown while the gateway works. With `frame` the issuer's method frame runs in it. */
export function WaitPage({ stay, frame }: { readonly stay: Stay; readonly frame: boolean }) {
  const { order, opening, visit } = stay;
  return (
    <Layout title={`One moment - ${order.login}`}>
      <Summary order={order} opening={opening} title={wordingOf(opening.kind).title} />
      <div class="centre">
        <div class="spinner" aria-hidden="true" />
        <p role="status">{frame ? 'Asking your bank.' : 'Working on it.'} This page goes on by itself.</p>
        <p>
          <a href={`${pagesPath}/form/${visit.token}`}>Look again now</a>
        </p>
      </div>
      {frame ? <iframe src={`${pagesPath}/3ds/${visit.token}/method`} title="Your bank" hidden /> : ''}
    </Layout>
  );
}

/** What became of it, and the way back to the merchant. */
export function FinishPage({ stay }: { readonly stay: Stay }) {
  const { order, opening } = stay;
  const { success } = statuses[opening.status];
  const address = returnAddress(stay);
  const done = success ? 'Done' : opening.status === 'unknown' ? 'Not known yet' : 'Not done';
  const tone = success ? 'good' : opening.status === 'unknown' ? 'wait' : 'bad';
  return (
    <Layout title={`${done} - ${order.login}`} script="send.js">
      <Summary order={order} opening={opening} title={wordingOf(opening.kind).title} />
      <div class={`notice ${tone}`} role="status">
        <p>
          <strong>{done}.</strong> {outcomeWords(stay)}
        </p>
      </div>
      {address === undefined ? (
        <p class="address">You can close this page.</p>
      ) : (
        <SendForm to={address} fields={returnFields(stay)} label={`Back to ${order.login}`} after={1500} />
      )}
    </Layout>
  );
}

const successes: Partial<Readonly<Record<string, string>>> = {
  sale: 'was paid',
  preauth: 'is held on the card',
  payout: 'is on its way to you',
};

function outcomeWords({ order, opening }: Stay): string {
  if (opening.status === 'unknown') return 'The bank did not answer. The merchant will tell you what became of it.';
  if (opening.status !== 'approved') return `${outcomeOf(opening.outcome).message ?? 'It was declined'}.`;
  const amount = amountText(order);
  const words = successes[opening.kind];
  return amount === undefined || words === undefined ? 'The card is good.' : `${amount} ${words}.`;
}
