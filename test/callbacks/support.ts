import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Answer, type Listener, listenForCallbacks } from '../../src/callbacks/listener.js';
import {
  type Handled,
  type MatchResult,
  openReceiver,
  type Receiver,
  type ReceiverOptions,
} from '../../src/callbacks/receiver.js';
import { type CallbackStore, openCallbackStore, type RawCallback } from '../../src/callbacks/store.js';
import { openSecrets } from '../../src/journal/secrets.js';
import { sqlite } from '../../src/runtime/database.js';
import { systemClock } from '../../src/runtime/machine.js';
import { Secret } from '../../src/signing/index.js';
import { temporaryHome } from '../support/runtime.js';
import { keyOf } from '../support/user-journal.js';

export const key = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
export const oldKey = '0E28E1C1-5A0B-4A8C-9C8E-1B0A8C1D2E3F';

export function sha1(text: string): string {
  return createHash('sha1').update(text, 'utf8').digest('hex');
}

export type Fields = Readonly<Record<string, string>>;

/** Fields of an approved sale with the checksum over status, order id, client order id and key (A24). */
export function saleFields(own: Fields = {}, signedWith = key): Fields {
  const fields: Fields = {
    status: 'approved',
    orderid: '12345',
    client_orderid: '902B4FF5',
    type: 'sale',
    amount: '10.42',
    currency: 'USD',
    ...own,
  };
  return {
    ...fields,
    control: own['control'] ?? sha1(`${fields['status']}${fields['orderid']}${fields['client_orderid']}${signedWith}`),
  };
}

export function queryOf(fields: Fields): string {
  return new URLSearchParams(fields).toString();
}

export function getOf(fields: Fields): RawCallback {
  return { method: 'GET', target: `/callback?${queryOf(fields)}`, contentType: undefined, body: new Uint8Array() };
}

export function postOf(
  body: string,
  contentType: string | undefined = 'application/x-www-form-urlencoded',
): RawCallback {
  return { method: 'POST', target: '/callback', contentType, body: Buffer.from(body) };
}

/** With a key that no file holds. */
const testSecrets = openSecrets('a key of tests, and of nothing but tests');

/** The history of a home, as another process of its user opens it. */
export function openHistoryIn(home: string): CallbackStore {
  return openCallbackStore(sqlite.open(join(home, 'state', 'callbacks.db')), openSecrets(keyOf(home)));
}

/** A history in a file that is gone after the test. */
export function openStore(path = join(temporaryHome(), 'callbacks.db')): CallbackStore {
  const store = openCallbackStore(sqlite.open(path), testSecrets);
  onTestFinished(() => store.close());
  return store;
}

export const nothing: MatchResult = { asked: undefined, resolved: 0, conflicts: [] };

export interface Fixture {
  readonly store: CallbackStore;
  readonly receiver: Receiver;
  readonly handled: Handled[];
  readonly faults: unknown[];
}

export function openFixture(own: Partial<ReceiverOptions> = {}): Fixture {
  const store = own.store ?? openStore();
  const handled: Handled[] = [];
  const faults: unknown[] = [];
  const receiver = openReceiver({
    store,
    clock: systemClock,
    place: 'https://gate.example',
    profile: 'shop',
    class: 'test',
    key: new Secret(key),
    encoding: 'hex-lower',
    forwardTo: undefined,
    matchCallback: async () => nothing,
    onHandled: (each) => void handled.push(each),
    onNotStored: (why) => void faults.push(why),
    onFault: (fault) => void faults.push(fault),
    signal: new AbortController().signal,
    ...own,
  });
  return { store, receiver, handled, faults };
}

/** A listener on this machine, until the test is over. */
export async function openListener(
  receive: (raw: RawCallback) => Promise<Answer>,
): Promise<Listener & { readonly turnedAway: string[] }> {
  const turnedAway: string[] = [];
  const onRejected = (why: string) => void turnedAway.push(why);
  const listener = await listenForCallbacks({ port: 0, host: '127.0.0.1', receive, onRejected });
  onTestFinished(() => listener.close());
  return { ...listener, turnedAway };
}
