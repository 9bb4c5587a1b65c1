import type { Delivery, HttpRequest, Runtime } from '../../src/runtime/ports.js';
import { type Operation, replies } from '../../src/spec/index.js';
import { card, code, controlKey, otherCard } from './planted.js';

// Everything a gateway could send back of a request, in the ways it could.

/** Without what a request did not have: what is no number at sight can be known from the request alone. */
function echoOf({ body, headers }: HttpRequest): string {
  const numbers = [card, card.replace(/(.{4})/g, '$1 '), card.replace(/(.{4})(?=.)/g, '$1-')];
  const codes = body.includes(`=${code}`) ? [`cvv2=${code}`, `code ${code}`] : [];
  const isByKey = body.includes('control=') || headers['Authorization']?.includes('HMAC-SHA1') === true;
  const keys = isByKey ? [controlKey, controlKey.toLowerCase()] : [];
  return [...numbers, ...codes, ...keys].join(' , ');
}

function echoing(row: Operation, request: HttpRequest): Readonly<Record<string, string>> {
  const sent = new URLSearchParams(request.body);
  const echo = echoOf(request);
  const ownCode = request.body.includes(`=${code}`) ? code : '';
  const of = (...names: readonly string[]) =>
    names.map((name) => sent.get(name)).find((value) => value !== null) ?? undefined;
  const isStatus = request.url.includes('/status');
  return {
    type: isStatus ? 'status-response' : replies[row.records.reply].types[0],
    'merchant-order-id': of('client_orderid', 'client-order-id', 'client-orderid') ?? 'id-1',
    'paynet-order-id': of('orderid') ?? '12345',
    'serial-number': '00000000-0000-0000-0000-0000015b2f9a',
    'card-ref-id': of('cardrefid', 'card-ref-id') ?? '77',
    'recurring-payment-id': '88',
    'last-four-digits': '8453',
    bin: '675964',
    status: 'declined',
    'error-message': echo,
    'redirect-url': `https://gate.example/pay?pan=${card}&cvv=${ownCode}&b=${encodeURIComponent(otherCard)}&e=${encodeURIComponent(echo)}`,
    [`field ${card}`]: 'x',
    remark: echo,
    cvv2: ownCode,
    credit_card_number: card,
    control: echo.includes(controlKey) ? controlKey : '',
  };
}

const answer = (request: HttpRequest, status: number, body: string, type = 'application/vnd.pay+json'): Delivery => ({
  kind: 'reply',
  reply: {
    status,
    headers: { 'content-type': type, 'x-echo': echoOf(request), location: `https://x.example/?${card}` },
    body: Buffer.from(body),
  },
});

type Answer = (row: Operation, request: HttpRequest) => Delivery;

export const json =
  (status: number, change: Readonly<Record<string, string | undefined>> = {}): Answer =>
  (row, request) =>
    answer(request, status, JSON.stringify({ ...echoing(row, request), ...change }));

/** One answer of every class; questions about the order get it as well. */
export const endings: readonly (readonly [name: string, answer: Answer])[] = [
  ['accepted', json(200)],
  ['refused', json(400, { type: 'validation-error', 'paynet-order-id': undefined })],
  ['refused with an order', json(400, { type: 'validation-error' })],
  ['about another order', json(200, { 'merchant-order-id': 'id-2', 'paynet-order-id': '54321' })],
  ['a server error', (_, request) => answer(request, 500, `<html>${echoOf(request)}</html>`, 'text/html')],
  ['a cut reply', (_, request) => answer(request, 200, `{"error-message":"${echoOf(request)}`)],
  ['another type', (_, request) => answer(request, 200, echoOf(request), 'text/plain')],
  ['lost', () => ({ kind: 'lost', reason: 'the connection was closed before the reply was complete' })],
  ['never sent', () => ({ kind: 'never-sent', reason: 'connection refused' })],
  [
    'a wrong certificate',
    () => ({ kind: 'certificate', reason: 'the certificate has expired', remedy: 'check the clock' }),
  ],
];

/** A network that always answers in the same way, and keeps what it was sent. */
export function network(row: Operation, reply: Answer) {
  const bodies: string[] = [];
  const outside = (usual: Runtime): Runtime => ({
    ...usual,
    transport: async () => ({
      post: async (request) => {
        bodies.push(request.body);
        return reply(row, request);
      },
      close: async () => undefined,
    }),
  });
  return { bodies, outside };
}
