import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { approvedOrder, type Bench, cardOrder, onOrder, openBench, orderOf, partial, signed, status } from './support.js';

/**
 * A little ledger of its own, in minor units: what the description says about holds, captures and returns, and nothing else.
 * It never asks the sandbox what is legal.
 */
interface Booked {
  readonly id: string;
  readonly order: string;
  readonly kind: 'sale' | 'preauth' | 'check' | 'payout';
  readonly amount: number;
  captured: number;
  released: number;
  reversed: number;
  isVoided: boolean;
  isPaid: boolean;
  isDeclined: boolean;
  /** When it is settled. */
  readonly madeAt: number;
}

interface Model {
  orders: Booked[];
  count: number;
  now: number;
}

type Real = Bench;

/** How often each move was accepted: a run that never captures proves nothing. */
const accepted = { capture: 0, cancel: 0, reversal: 0, void: 0, pay: 0 };

const pem = (name: string): string => readFileSync(new URL(`../vectors/keys/test-rsa-2048.${name}.pem`, import.meta.url), 'utf8');
const pair = { public: pem('public'), private: pem('pkcs8') };

/** With a key pair that is there already: making one takes longer than a whole sequence. */
function openReal(): Real {
  const real = openBench();
  real.database.run("UPDATE merchants SET public_key = ?, private_key = ? WHERE login = 'sandbox'", pair.public, pair.private);
  return real;
}

const holdLife = 7 * 24 * 3_600_000;
/** Percents of what is left, never nothing; all of it when undefined. Above 100 it is too much. */
const shareOf = (left: number, share: number | undefined): number =>
  share === undefined ? left : Math.max(10, Math.floor((left * share) / 1000) * 10);
const decimal = (minor: number): string => (minor / 100).toFixed(2);
const isSettled = (order: Booked): boolean => order.kind === 'sale' || order.captured > 0;
const settledOf = (order: Booked): number => (order.kind === 'sale' ? order.amount : order.captured);
const hasLapsed = (model: Model, order: Booked): boolean => order.kind === 'preauth' && model.now - order.madeAt > holdLife;

/** What must hold for every order after every step. */
function balance(model: Model, real: Real): void {
  for (const order of model.orders) {
    expect(order.captured + order.released).toBeLessThanOrEqual(order.kind === 'preauth' ? order.amount : 0);
    expect(order.reversed).toBeLessThanOrEqual(settledOf(order));
  }
  // What the sandbox wrote down, added up by nobody but this test.
  for (const order of model.orders) {
    const rows = real.database.all(
      "SELECT kind, amount FROM transactions WHERE order_id = ? AND status IN ('approved', 'processing', 'unknown')",
      order.order,
    );
    const sum = (kind: string) => rows.filter((row) => row['kind'] === kind).reduce((total, row) => total + Number(row['amount']), 0);
    expect([order.id, sum('capture'), sum('reversal')]).toEqual([order.id, order.captured, order.reversed]);
    expect([order.id, sum('cancel')]).toEqual([order.id, order.released]);
    expect([order.id, rows.filter((row) => row['kind'] === 'void').length]).toEqual([order.id, order.isVoided ? 1 : 0]);
    if (order.kind === 'check') expect(rows.filter((row) => row['kind'] === 'payout').length).toBe(order.isPaid ? 1 : 0);
  }
}

abstract class Step implements fc.Command<Model, Real> {
  check(): boolean {
    return true;
  }
  abstract act(model: Model, real: Real): void;
  run(model: Model, real: Real): void {
    this.act(model, real);
    real.later();
    model.now += 300;
    // Settles what is due, so that the sums below are of the present.
    status(real, 'nothing', '');
    balance(model, real);
  }
}

class Open extends Step {
  constructor(
    readonly kind: 'sale' | 'preauth',
    readonly amount: number,
    readonly isDeclined: boolean,
  ) {
    super();
  }
  act(model: Model, real: Real): void {
    model.count += 1;
    const id = `m${model.count}`;
    const answer = cardOrder(real, this.kind, { id, amount: decimal(this.amount), cvv: this.isDeclined ? '116' : '111' });
    expect(answer.status).toBe(200);
    const none = { captured: 0, released: 0, reversed: 0, isVoided: false, isPaid: false };
    model.orders.push({
      id,
      order: orderOf(answer),
      kind: this.kind,
      amount: this.amount,
      isDeclined: this.isDeclined,
      madeAt: model.now + 300,
      ...none,
    });
  }
  toString(): string {
    return `${this.kind} ${decimal(this.amount)}${this.isDeclined ? ' declined' : ''}`;
  }
}

/** A step on one of the orders there are, chosen by a number. */
abstract class Follow extends Step {
  constructor(readonly at: number) {
    super();
  }
  override check(model?: Model): boolean {
    return model === undefined || model.orders.length > 0;
  }
  act(model: Model, real: Real): void {
    const order = model.orders[this.at % model.orders.length];
    if (order !== undefined) this.on(order, model, real);
  }
  abstract on(order: Booked, model: Model, real: Real): void;
}

class Capture extends Follow {
  constructor(
    at: number,
    readonly share: number | undefined,
  ) {
    super(at);
  }
  on(order: Booked, model: Model, real: Real): void {
    const left = order.amount - order.captured - order.released;
    const wanted = shareOf(left, this.share);
    const isLegal =
      order.kind === 'preauth' &&
      !order.isDeclined &&
      !order.isVoided &&
      order.captured === 0 &&
      left > 0 &&
      wanted <= left &&
      !hasLapsed(model, order);
    const answer = partial(real, 'capture', order.id, order.order, this.share === undefined ? undefined : decimal(wanted));
    expect([this.toString(), answer.status]).toEqual([this.toString(), isLegal ? 200 : 400]);
    if (!isLegal) return;
    order.captured += wanted;
    accepted.capture += 1;
  }
  toString(): string {
    return `capture ${this.at} ${this.share === undefined ? 'all' : `${this.share} %`}`;
  }
}

class Return extends Follow {
  constructor(
    at: number,
    readonly share: number | undefined,
  ) {
    super(at);
  }
  on(order: Booked, model: Model, real: Real): void {
    const left = isSettled(order) ? settledOf(order) - order.reversed : order.amount - order.released;
    const wanted = shareOf(left, this.share);
    const isMoney = order.kind === 'sale' || order.kind === 'preauth';
    const isGone = !isSettled(order) && hasLapsed(model, order);
    const isLegal = isMoney && !order.isDeclined && !order.isVoided && left > 0 && wanted <= left && !isGone;
    const answer = partial(real, 'return', order.id, order.order, this.share === undefined ? undefined : decimal(wanted));
    expect([this.toString(), answer.status]).toEqual([this.toString(), isLegal ? 200 : 400]);
    if (!isLegal) return;
    accepted[isSettled(order) ? 'reversal' : 'cancel'] += 1;
    if (isSettled(order)) order.reversed += wanted;
    else order.released += wanted;
  }
  toString(): string {
    return `return ${this.at} ${this.share === undefined ? 'all' : `${this.share} %`}`;
  }
}

class Void extends Follow {
  on(order: Booked, model: Model, real: Real): void {
    const isUntouched = order.captured === 0 && order.released === 0 && !order.isVoided;
    const isLegal = order.kind === 'preauth' && !order.isDeclined && isUntouched && !hasLapsed(model, order);
    expect(onOrder(real, '/api/v2/void', order.id, order.order).status).toBe(isLegal ? 200 : 400);
    if (!isLegal) return;
    order.isVoided = true;
    accepted.void += 1;
  }
  toString(): string {
    return `void ${this.at}`;
  }
}

class Check extends Step {
  constructor(readonly amount: number) {
    super();
  }
  act(model: Model, real: Real): void {
    model.count += 1;
    const id = `m${model.count}`;
    const pairs = { client_orderid: id, amount: decimal(this.amount), currency: 'EUR', wallet_type: 'w', wallet_id: 'x' };
    const answer = signed(real, '/api/v4/payout-check/4001', pairs);
    expect(answer.status).toBe(200);
    const none = { captured: 0, released: 0, reversed: 0, isVoided: false, isPaid: false, isDeclined: false };
    model.orders.push({ id, order: orderOf(answer), kind: 'check', amount: this.amount, madeAt: model.now + 300, ...none });
  }
  toString(): string {
    return `payout check ${decimal(this.amount)}`;
  }
}

class Pay extends Follow {
  on(order: Booked, _model: Model, real: Real): void {
    const isLegal = order.kind === 'check' && !order.isPaid;
    const pairs = { client_orderid: order.id, orderid: order.order, login: 'sandbox' };
    expect(signed(real, '/api/v4/payout-pay/4001', pairs).status).toBe(isLegal ? 200 : 400);
    if (!isLegal) return;
    order.isPaid = true;
    accepted.pay += 1;
  }
  toString(): string {
    return `pay ${this.at}`;
  }
}

class Wait extends Step {
  constructor(readonly days: number) {
    super();
  }
  act(model: Model, real: Real): void {
    real.later(this.days * 86_400_000);
    model.now += this.days * 86_400_000;
  }
  toString(): string {
    return `${this.days} days`;
  }
}

// Never an ending that the table of amounts gives a meaning.
const money = fc.integer({ min: 100, max: 5000 }).map((minor) => minor - (minor % 10));
const part = fc.option(fc.integer({ min: 1, max: 120 }), { nil: undefined });
const at = fc.nat(30);

const steps = fc.commands(
  [
    fc
      .tuple(fc.constantFrom('sale' as const, 'preauth' as const), money, fc.boolean())
      .map(([kind, amount, no]) => new Open(kind, amount, no && amount % 3 === 0)),
    fc.tuple(at, part).map(([order, sum]) => new Capture(order, sum)),
    fc.tuple(at, part).map(([order, sum]) => new Return(order, sum)),
    fc.tuple(at, part).map(([order, sum]) => new Return(order, sum)),
    at.map((order) => new Void(order)),
    money.map((amount) => new Check(amount)),
    at.map((order) => new Pay(order)),
    fc.integer({ min: 1, max: 5 }).map((days) => new Wait(days)),
  ],
  { maxCommands: 40, size: 'max' },
);

test('no sequence of operations loses or makes money', { timeout: 3_600_000 }, () => {
  const runs = process.env['FC_RUNS'] === undefined ? { numRuns: 300 } : {};
  fc.assert(
    fc.property(steps, (commands) => {
      const real = openReal();
      try {
        fc.modelRun(() => ({ model: { orders: [], count: 0, now: real.clock.time }, real }), commands);
      } finally {
        real.database.close();
      }
    }),
    runs,
  );
  for (const [move, times] of Object.entries(accepted)) expect([move, times > 20]).toEqual([move, true]);
});

test('the model itself knows a captured hold from a released one', () => {
  const bench = openBench();
  const order = approvedOrder(bench, 'preauth', { id: 'h', amount: '10.00' });
  partial(bench, 'return', 'h', order, '4.00');
  bench.later();
  expect(partial(bench, 'capture', 'h', order, '6.01').status).toBe(400);
  expect(partial(bench, 'capture', 'h', order, '6.00').status).toBe(200);
});
