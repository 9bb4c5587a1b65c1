import { servePage } from '../sandbox/pages/serve.js';
import { visitByToken } from '../sandbox/visits.js';
import { encodeForm, type Pair } from '../wire/form.js';
import type { ScenarioGateway } from './gateway.js';
import type { PayerPath } from './scenario.js';

/** What the browser of the payer brings back: the fields that the page of the bank posts to the shop. */
export type BroughtBack = Readonly<Record<string, string>>;

/**
 * The browser of the payer: it posts the fields of a form to the page of the bank at `url`, does there what the
 * scenario says, and returns what comes back to the shop; nothing where the payer goes away.
 */
export function visitBank(gateway: ScenarioGateway, path: PayerPath, form: readonly Pair[]): BroughtBack {
  const url = form.find(([name]) => name === 'url')?.[1] ?? '';
  const token = /\/pages\/3ds\/(\w{1,64})$/.exec(url)?.[1];
  if (token === undefined) return { error: 'the URL is not a page of this bank' };
  const sent = form.filter(([name]) => name !== 'url');
  const first = open(gateway, url, sent);
  if (sent.some(([name]) => name === 'threeDSMethodData')) return { threeDSCompInd: 'Y' };
  if (path === 'abandon') return {};
  const visit = visitByToken(gateway.state.store, token);
  if (visit === undefined) return { error: 'no order belongs to this page' };
  const typed: readonly Pair[] =
    path === 'fail'
      ? [['action', 'cancel']]
      : [
          ['code', visit.code],
          ['action', 'submit'],
        ];
  const { action, fields } = formIn(first, url);
  return Object.fromEntries(formIn(open(gateway, action, [...fields, ...typed]), action).fields);
}

function open({ sandbox }: ScenarioGateway, url: string, pairs: readonly Pair[]): string {
  const headers = { 'sec-fetch-site': 'same-origin' };
  return sandbox.servePage({ method: 'POST', url, headers, body: Buffer.from(encodeForm(pairs)) }, servePage).body;
}

/** The first form of a page: where it goes, and its hidden fields. */
function formIn(page: string, at: string): { readonly action: string; readonly fields: readonly Pair[] } {
  const [, attributes = '', inner = ''] = /<form([^>]*)>(.*?)<\/form>/s.exec(page) ?? [];
  const action = /action="([^"]*)"/.exec(attributes)?.[1] ?? '';
  const hidden = [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return {
    action: new URL(unescaped(action), at).href,
    fields: hidden.map(([, name = '', value = '']) => [unescaped(name), unescaped(value)]),
  };
}

function unescaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => signs[name] ?? '');
}
