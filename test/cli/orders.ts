import { expect } from 'vitest';
import { paycli, type Ran } from '../support/runtime.js';

/** What earlier commands gave, for later ones to use. */
export type Names = Readonly<Record<string, string>>;

export function resultOf(ran: Ran): Readonly<Record<string, string>> {
  return JSON.parse(ran.out).result;
}

/** Runs a command with --json and demands the exit code. */
export async function json(home: string, argv: readonly string[], exit = 0): Promise<Readonly<Record<string, string>>> {
  const ran = await paycli([...argv, '--json'], { home });
  expect(ran.exit, ran.err + ran.out).toBe(exit);
  return resultOf(ran);
}

let made = 0;

/** Makes an order that is final, or waits for a 3-D Secure step, and gives its two ids. */
export async function order(
  home: string,
  argv: readonly string[],
  exit = 0,
): Promise<{ ORDER: string; ID: string; reply: Readonly<Record<string, string>> }> {
  made += 1;
  const ID = `made-${made}`;
  const reply = await json(home, [...argv, '--client-order-id', ID, '--wait'], exit);
  return { ORDER: reply['paynet-order-id'] ?? '', ID, reply };
}

const eur = (amount: string) => ['--amount', amount, '--currency', 'EUR'];

export const preauth = (home: string) => order(home, ['preauth', ...eur('25.00'), '--test-card', 'approved']);
export const sale = (home: string) => order(home, ['sale', ...eur('10.42'), '--test-card', 'approved']);

export async function cardRef(home: string): Promise<string> {
  const { ORDER, ID } = await sale(home);
  return (await json(home, ['card-ref', 'create', ORDER, '--client-order-id', ID]))['card-ref-id'] ?? '';
}

export interface CreqIds {
  readonly threeDSServerTransID: string;
  readonly acsTransID: string;
}

/** A CRes as an access control server returns it. */
export function cres(ids: CreqIds, transStatus = 'Y'): string {
  return Buffer.from(
    JSON.stringify({ messageType: 'CRes', messageVersion: '2.2.0', ...ids, challengeCompletionInd: 'Y', transStatus }),
  ).toString('base64url');
}

export function creqOf(status: Readonly<Record<string, string>>): CreqIds {
  const { threeDSServerTransID, acsTransID } = JSON.parse(
    Buffer.from(status['tds-creq-form-creq'] ?? '', 'base64url').toString(),
  );
  return { threeDSServerTransID, acsTransID };
}
