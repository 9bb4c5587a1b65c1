import { testCards } from '../../spec/index.js';
import type { TransactionKind } from '../../spec/lifecycle.js';
import { keepCard, type StoredCard } from '../cards.js';
import type { Course } from '../outcomes.js';
import { recordOf } from '../reply.js';
import type { Accepted } from '../request.js';
import type { Store } from '../store.js';
import { type Effect, settling } from './effect.js';
import { courseFor, openOrder, pageUrl } from './opening.js';

export const saleForm = hostedForm('sale');
export const preauthForm = hostedForm('preauth');
export const payoutForm = hostedForm('payout');
export const accountVerificationForm = hostedForm('account-verification');

/** An order that waits for a customer; a queued outcome stands for one who typed in a test card. */
function hostedForm(kind: TransactionKind): Effect {
  return settling((accepted, store) => {
    const pageToken = store.random.letters(32);
    const isFilled = accepted.queued !== undefined;
    const course: Course = isFilled ? courseFor(accepted, {}) : { step: 'form', outcome: 'approved' };
    const typed = isFilled ? typedCard(accepted, store) : undefined;
    const side = kind === 'payout' ? { destination: typed } : { card: typed };
    const order = openOrder(accepted, store, { kind, course, pageToken, ...side });
    return recordOf(accepted, order, [['redirect-url', pageUrl(accepted, 'form', pageToken)]]);
  });
}

function typedCard({ now }: Accepted, store: Store): StoredCard | undefined {
  const [card] = testCards;
  if (card === undefined) return undefined;
  const year = String(new Date(now).getUTCFullYear() + 3);
  return keepCard(store, { number: card.number, month: '12', year, holder: 'TEST CARD' });
}
