import { decodeBody } from '../checks.js';
import { advance } from '../clock.js';
import type { SandboxReply, SandboxRequest, SandboxSettings } from '../request.js';
import type { Store } from '../store.js';
import { visits } from '../visits.js';
import { methodFrame, showAcsPage, submitChallenge } from './acs.js';
import { sendScript, style } from './assets.js';
import { showForm, submitForm } from './form.js';
import { assetReply, htmlReply, messagePage, pagesPath, seeOther } from './html.js';
import { openSession, type PageSession, recordPageEvent } from './page-session.js';

const assets: Readonly<Record<string, readonly [type: string, body: string]>> = {
  'style.css': ['text/css', style],
  'send.js': ['text/javascript', sendScript],
};

/** Answers a browser that looks at a page of the gateway. Called inside a transaction. */
export function servePage(store: Store, settings: SandboxSettings, request: SandboxRequest): SandboxReply {
  const path = new URL(request.url).pathname.slice(pagesPath.length + 1);
  const asset = Object.hasOwn(assets, path) ? assets[path] : undefined;
  if (asset !== undefined) return assetReply(...asset);
  if (request.method !== 'GET' && request.method !== 'POST')
    return refused('This page accepts GET and POST only.', 405);
  advance(store);
  const [, kind = '', token = '', part = ''] = /^(form|3ds|go)\/(\w{1,64})(?:\/(method|answer))?$/.exec(path) ?? [];
  if (kind === 'go') return redeemOneTimeLink(store, token);
  const session = openSession(store, settings, token);
  if (session === undefined) return refused('There is no order at this address. The sandbox may have been reset.', 404);
  if (kind === '3ds' && part === 'method') return methodFrame(session, undefined);
  const isForm = kind === 'form' && part === '';
  if (request.method === 'GET') return isForm ? showForm(session) : showAcsPage(session, []);
  const { pairs } = decodeBody(request.body);
  if (kind === '3ds' && part === '') return showAcsPage(session, pairs);
  if (isForged(session, request, pairs)) {
    recordPageEvent(session, 'form refused: it was not sent from its own page');
    return refused('This form was not sent from the page it belongs to. Open the page again.', 403);
  }
  return isForm ? submitForm(session, pairs) : submitChallenge(session, pairs);
}

/** The address of the simplified flow works once; afterwards it shows nothing of the order. */
function redeemOneTimeLink(store: Store, once: string): SandboxReply {
  const found = visits.get(store, 'WHERE once = ?', once);
  if (found === undefined) return refused('This address works only once: it was already used, or never existed.', 404);
  visits.update(store, found.token, { once: undefined });
  return seeOther(`${pagesPath}/3ds/${found.token}`);
}

/** S14: what changes something must come from the page itself, with the token that only the page knows. */
function isForged(
  { visit: { csrf } }: PageSession,
  { headers }: SandboxRequest,
  pairs: readonly (readonly [string, string])[],
): boolean {
  const site = headers['sec-fetch-site'] ?? 'none';
  const sent = pairs.find(([name]) => name === 'csrf')?.[1];
  return (site !== 'same-origin' && site !== 'none') || sent !== csrf;
}

function refused(why: string, status: number): SandboxReply {
  return htmlReply(messagePage('Page not available', why), { status });
}
