import { answer, framed, openAcs } from '../acs/desk.js';
import { advance } from '../advance.js';
import { decodeBody } from '../checks/body.js';
import { orderByPage } from '../ledger/orders.js';
import { transactionsOf } from '../ledger/transactions.js';
import { followOnce, visitByToken } from '../ledger/visits.js';
import type { SandboxReply, SandboxRequest, Terms } from '../request.js';
import type { Store } from '../store.js';
import { showForm, takeForm } from './form-desk.js';
import { formScript, sendScript } from './form-script.js';
import { MessagePage } from './layout.js';
import { note, type Stay } from './progress.js';
import { assetReply, htmlReply, pagesPath, seeOther } from './reply.js';
import { style } from './style.js';

const assets: Readonly<Record<string, readonly [type: string, body: string]>> = {
  'style.css': ['text/css', style],
  'form.js': ['text/javascript', formScript],
  'send.js': ['text/javascript', sendScript],
};

/** Answers a browser that looks at a page of the gateway. Called inside a transaction. */
export function visit(store: Store, terms: Terms, request: SandboxRequest): SandboxReply {
  const path = new URL(request.url).pathname.slice(pagesPath.length + 1);
  const asset = Object.hasOwn(assets, path) ? assets[path] : undefined;
  if (asset !== undefined) return assetReply(...asset);
  if (request.method !== 'GET' && request.method !== 'POST') return refused('This page takes GET and POST only.', 405);
  advance(store);
  const [, kind = '', token = '', part = ''] = /^(form|3ds|go)\/(\w{1,64})(?:\/(method|answer))?$/.exec(path) ?? [];
  if (kind === 'go') return sendOn(store, token);
  const stay = stayAt(store, terms, token);
  if (stay === undefined) return refused('This address belongs to no order of the sandbox. It may have been reset.', 404);
  if (kind === '3ds' && part === 'method') return framed(stay, undefined);
  const isForm = kind === 'form' && part === '';
  if (request.method === 'GET') return isForm ? showForm(stay) : openAcs(stay, []);
  const { pairs } = decodeBody(request.body);
  if (kind === '3ds' && part === '') return openAcs(stay, pairs);
  if (isForged(stay, request, pairs)) {
    note(stay, 'form refused: it was not sent from its own page');
    return refused('This form was not sent from the page it belongs to. Open the page again.', 403);
  }
  return isForm ? takeForm(stay, pairs) : answer(stay, pairs);
}

function stayAt(store: Store, terms: Terms, token: string): Stay | undefined {
  const found = visitByToken(store, token);
  const order = orderByPage(store, token);
  const [opening] = order === undefined ? [] : transactionsOf(store, order.id);
  if (found === undefined || order === undefined || opening === undefined) return undefined;
  return { store, terms, now: store.clock.now(), visit: found, order, opening };
}

/** The address of the simplified flow leads on once; whoever finds it later learns nothing. */
function sendOn(store: Store, once: string): SandboxReply {
  const found = followOnce(store, once);
  return found === undefined
    ? refused('This address works once, and it was used or never existed.', 404)
    : seeOther(`${pagesPath}/3ds/${found.token}`);
}

/** S14: what changes something must come from the page itself, with the token that only the page knows. */
function isForged({ visit: { csrf } }: Stay, { headers }: SandboxRequest, pairs: readonly (readonly [string, string])[]): boolean {
  const site = headers['sec-fetch-site'] ?? 'none';
  const sent = pairs.find(([name]) => name === 'csrf')?.[1];
  return (site !== 'same-origin' && site !== 'none') || sent !== csrf;
}

function refused(why: string, status: number): SandboxReply {
  return htmlReply(<MessagePage title="Nothing here">{why}</MessagePage>, { status });
}
