import type { ControlCase, OauthCase } from '../../signing/diagnose/index.js';
import { controlEncoding, type Merchant, parseAuthorizationHeader, type Received } from '../../signing/index.js';
import type { Assume } from '../../spec/index.js';
import { listMerchants, type SandboxMerchant } from '../merchants.js';
import type { Store } from '../store.js';

const maxMerchants = 20;

/** A request protected by a control, with its key and with what may have been taken for either. */
export function controlCaseOf(
  { protection, row, endpointId, pairs, minor }: Received,
  merchant: SandboxMerchant,
  store: Store,
  assume: Assume,
): ControlCase {
  const sent = (wire: string) => pairs.find(([name]) => name === wire)?.[1] ?? '';
  const slots = (protection.scheme === 'control' ? protection.values : []).map((name) => {
    const wire = row.fields[name]?.wire ?? name;
    if (name === 'login') return { name, wire, value: merchant.login };
    if (name === 'endpointId') return { name, wire, value: endpointId };
    return { name, wire, value: row.fields[name]?.kind === 'amount' && minor !== undefined ? minor : sent(wire) };
  });
  const merchants = listMerchants(store).slice(0, maxMerchants);
  const others = merchants.filter(({ login }) => login !== merchant.login);
  const endpoints = merchants.flatMap((each) => each.endpoints.map(({ id }) => id));
  return {
    slots,
    key: merchant.controlKey,
    encoding: controlEncoding(assume),
    amountText: sent('amount') === '' ? undefined : sent('amount'),
    currency: sent('currency'),
    email: sent('email') === '' ? undefined : sent('email'),
    login: merchant.login,
    endpointId,
    body: pairs,
    otherEndpoints: endpoints.filter((id) => id !== endpointId),
    otherKeys: others.map(({ login, controlKey }) => ({ name: `the merchant ${login}`, key: controlKey })),
  };
}

/** The request as it came, with the values of its header. Throws TEXT_INVALID for a header that cannot be read. */
export function oauthCaseOf(
  received: Received,
  keys: Merchant,
  assume: Assume,
): { readonly given: OauthCase; readonly signature: string } {
  const { pairs, realm } = parseAuthorizationHeader(received.authorization ?? '');
  const header = new Map(pairs);
  const value = (name: string) => header.get(name) ?? '';
  const isHmac = received.protection.scheme === 'hmac-sha1';
  const given: OauthCase = {
    method: 'POST',
    url: received.url,
    // A07: what the body repeats counts once.
    body: received.pairs.filter(([name]) => !(name.startsWith('oauth_') && header.has(name))),
    signatureMethod: isHmac ? 'HMAC-SHA1' : 'RSA-SHA256',
    consumerKey: value('oauth_consumer_key'),
    nonce: value('oauth_nonce'),
    timestamp: value('oauth_timestamp'),
    hasVersion: header.has('oauth_version'),
    token: header.get('oauth_token'),
    realm,
    keyForm: assume['hmac-key-encoding'] === 'raw' ? 'raw' : 'encoded',
    secret: keys.controlKey.open(),
    publicKey: keys.publicKey,
  };
  return { given, signature: value('oauth_signature') };
}
