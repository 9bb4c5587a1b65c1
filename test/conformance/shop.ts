import { afterAll, beforeAll, expect } from 'vitest';
import { openapiDocument } from '../../src/cli/commands/export/openapi.js';
import { allOperations, assumeDefaults, type OperationId } from '../../src/spec/index.js';
import { schemaProblems } from '../support/json-schema.js';
import { type Draft, draftOf, posted, protectionOf, type Signing, type Values } from './signer.js';
import type { Merchant, Open, Posted, Settings, Target } from './target.js';

export interface Answer {
  readonly status: number;
  readonly fields: Values;
}

export type CallOptions = Partial<Signing> & { readonly endpointId?: string };

const cardWires = ['credit_card_number', 'credit-card-number', 'destination-card-no', 'sending-card-number', 'cvv2'];

const { schemas } = openapiDocument(assumeDefaults, 'http://127.0.0.1/').components;

/** What the exported document says against a reply. */
function problemsOf(path: string, status: number, fields: Values): readonly string[] {
  const row = allOperations.find((each) => path.startsWith(`${each.path}/`));
  const refusal = status >= 500 ? 'ServerErrorResponse' : 'ValidationErrorResponse';
  const record = status !== 200 ? refusal : row?.records.reply;
  return record === undefined ? [] : schemaProblems(schemas[record], fields);
}

/** A merchant's side of a target. Every reply that passes here is held against what is said of all replies. */
export class Shop {
  readonly target: Target;
  readonly merchant: Merchant;
  #count = 0;
  #stranger: Shop | undefined;
  readonly #serials = new Set<string>();

  constructor(target: Target, merchant: Merchant = target.merchant) {
    this.target = target;
    this.merchant = merchant;
  }

  /** The other merchant, at the same target. */
  get stranger(): Shop {
    this.#stranger ??= new Shop(this.target, this.target.other);
    return this.#stranger;
  }

  /** An order id nobody used. */
  newId(): string {
    this.#count += 1;
    return `${this.merchant.login}-order-${this.#count}`;
  }

  draft(id: OperationId, values: Values, options: CallOptions = {}): Draft {
    this.#count += 1;
    const signing: Signing = {
      merchant: this.merchant,
      protection: protectionOf(id),
      nonce: `${this.merchant.login}${String(this.#count)}`.padStart(32, 'x'),
      timestamp: String(Math.floor(this.target.now() / 1000)),
      oauth: {},
      repeat: false,
      ...options,
    };
    return draftOf(this.target, id, values, options.endpointId ?? this.merchant.endpointId, signing);
  }

  call(id: OperationId, values: Values, options: CallOptions = {}): Promise<Answer> {
    return this.send(this.draft(id, values, options));
  }

  send(draft: Draft): Promise<Answer> {
    return this.post(posted(draft));
  }

  async post(request: Posted): Promise<Answer> {
    const { status, headers, body } = await this.target.post(request);
    expect(headers['content-type'], `content type of ${body}`).toBe('application/vnd.pay+json');
    const fields = recordIn(body);
    expect(fields['type']).toBeTruthy();
    expect(fields['serial-number']).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(this.#serials).not.toContain(fields['serial-number']);
    this.#serials.add(fields['serial-number'] ?? '');
    for (const name of ['error-message', 'error-code']) if (status !== 200) expect(fields[name], name).toBeTruthy();
    // The 400 of every operation is a ValidationErrorResponse, its 500 a ServerErrorResponse (A14), whatever was wrong.
    if (status !== 200)
      expect([status, fields['type']]).toEqual([status, status >= 500 ? 'error' : 'validation-error']);
    expect(problemsOf(request.path, status, fields)).toEqual([]);
    this.#expectNoSecret(request, body, fields['error-message'] ?? '');
    return { status, fields };
  }

  #expectNoSecret({ body }: Posted, reply: string, message: string): void {
    const sent = new URLSearchParams(body);
    const cards = cardWires.flatMap((wire) => sent.getAll(wire));
    const anywhere = [
      ...cards.filter((text) => text.length > 4),
      this.target.merchant.controlKey,
      this.target.other.controlKey,
    ];
    expect(anywhere.filter((secret) => reply.includes(secret))).toEqual([]);
    // Shorter ones may stand in an id by chance.
    expect(cards.filter((text) => text.length > 2 && message.includes(text))).toEqual([]);
    // A refusal that showed the right checksum or signature would sign for anybody.
    expect(message).not.toMatch(/\b[0-9A-Fa-f]{40}\b|[A-Za-z0-9+/]{27}=|PRIVATE KEY/);
  }

  async accepted(id: OperationId, values: Values, options: CallOptions = {}): Promise<Values> {
    const { status, fields } = await this.call(id, values, options);
    expect({ status, why: fields['error-message'] }, id).toEqual({ status: 200, why: undefined });
    return fields;
  }

  /**
   * Expects a refusal whose message fits. The reason is always asked for, so that nothing is refused for something
   * else.
   */
  async refused(draft: Draft, reason: RegExp, expected: { readonly status?: number } = {}): Promise<void> {
    const { status, fields } = await this.send(draft);
    expect(fields['error-message'] ?? `accepted with ${status}`).toMatch(reason);
    expect(status).toBe(expected.status ?? 400);
  }

  /** Long enough for everything that is processing to be over. */
  settle(): void {
    this.target.advance(60_000);
  }

  status(clientOrderId: string, orderId?: string): Promise<Answer> {
    return this.call('STATUS', {
      login: this.merchant.login,
      client_orderid: clientOrderId,
      ...(orderId === undefined ? {} : { orderid: orderId }),
    });
  }

  /** What status says of the order a request is about, without what differs from one asking to the next. */
  async stateOf(values: Values): Promise<Values> {
    const clientOrderId = values['client_orderid'] ?? values['client-order-id'] ?? values['client-orderid'];
    if (clientOrderId === undefined) return {};
    const { fields } = await this.status(clientOrderId, values['orderid']);
    const { 'serial-number': _, ...rest } = fields;
    return rest;
  }
}

function recordIn(body: string): Values {
  const record: unknown = JSON.parse(body);
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    throw new Error(`no JSON object: ${body}`);
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String(value)]));
}

/** Opens a target for the tests of the describe block it is called in. */
export function openShop(open: Open, settings: Settings = {}): () => Shop {
  let shop: Shop | undefined;
  beforeAll(async () => {
    shop = new Shop(await open(settings));
  });
  afterAll(async () => {
    await shop?.target.close();
  });
  return () => {
    if (shop === undefined) throw new Error('the target is not open yet');
    return shop;
  };
}
