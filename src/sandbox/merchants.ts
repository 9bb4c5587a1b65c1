import { fail } from '../errors/index.js';
import { parseEndpointId } from '../wire/address.js';
import { builtinEndpointId, builtinLogin, type Store } from './store.js';
import { key, optional, type Row, Table, text } from './table.js';

export const merchants = new Table('merchants', {
  login: key,
  controlKey: text,
  publicKey: optional(text),
  privateKey: optional(text),
});

/** `currency` is the only one it takes; undefined when it stands for a group and takes any. */
export const endpoints = new Table('endpoints', { id: key, login: text, currency: optional(text) });

export interface SandboxMerchant {
  readonly login: string;
  /** Plain text: not secret from the user of this sandbox, who has to give it to a client. */
  readonly controlKey: string;
  readonly publicKeyPem: string | undefined;
  readonly endpoints: readonly Omit<Row<typeof endpoints>, 'login'>[];
}

export interface NewMerchant {
  readonly login: string;
  readonly controlKey: string;
  readonly publicKeyPem?: string | undefined;
  readonly endpointId: string;
}

const wrongLogin = 'other-shop';
const command = 'sandbox merchant';

/** The merchants every sandbox starts with. The second one is for trying a wrong merchant. */
export function addBuiltinMerchants(store: Store): void {
  for (const login of [builtinLogin, wrongLogin]) merchants.insert(store, { login, controlKey: store.random.uuid() });
  endpoints.insert(store, { id: builtinEndpointId, login: builtinLogin });
  endpoints.insert(store, { id: '4002', login: builtinLogin, currency: 'EUR' });
  endpoints.insert(store, { id: '4100', login: wrongLogin });
}

/** Adds a merchant with its first endpoint. Throws USAGE. */
export function addMerchant(store: Store, { login, controlKey, publicKeyPem, ...given }: NewMerchant): void {
  const endpointId = parseEndpointId(given.endpointId);
  if (!/^[A-Za-z0-9_-]{1,20}$/.test(login))
    throw fail('USAGE', { why: 'a login is 1 to 20 letters, digits, - and _', command });
  store.database.transaction(() => {
    if (merchants.get(store, 'WHERE login = ?', login) !== undefined)
      throw fail('USAGE', { why: `this sandbox already has a merchant ${login}`, command });
    const owner = endpoints.get(store, 'WHERE id = ?', endpointId)?.login;
    if (owner !== undefined)
      throw fail('USAGE', {
        why: `endpoint ${endpointId} of this sandbox belongs to merchant ${owner}; ${freeEndpoint(store)} is free: --endpoint-id ${freeEndpoint(store)}`,
        endpoint: endpointId,
        login: owner,
        command,
      });
    merchants.insert(store, { login, controlKey, publicKey: publicKeyPem });
    endpoints.insert(store, { id: endpointId, login });
  });
}

export interface CreatedMerchant {
  readonly login: string;
  readonly endpointId: string;
  readonly controlKey: string;
  readonly privateKeyPem: string;
}

const firstOwnEndpoint = 5001;

/** Adds a merchant with new keys. The private key is not stored: it is returned here only. Throws USAGE. */
export function createMerchant(store: Store, login: string, endpointId = freeEndpoint(store)): CreatedMerchant {
  const pair = store.random.rsaPem();
  const controlKey = store.random.uuid();
  addMerchant(store, { login, endpointId, controlKey, publicKeyPem: pair.publicKey });
  return { login, endpointId, controlKey, privateKeyPem: pair.privateKey };
}

function freeEndpoint(store: Store): string {
  const used = new Set(endpoints.all(store).map(({ id }) => id));
  let id = firstOwnEndpoint;
  while (used.has(String(id))) id += 1;
  return String(id);
}

/** The built-in one first. */
export function listMerchants(store: Store): SandboxMerchant[] {
  const all = endpoints.all(store, 'ORDER BY length(id), id');
  return merchants.all(store, 'ORDER BY login <> ?, login', builtinLogin).map((row) =>
    merchantFrom(
      row,
      all.filter(({ login }) => login === row.login),
    ),
  );
}

function merchantFrom(
  { login, controlKey, publicKey }: Row<typeof merchants>,
  own: readonly Row<typeof endpoints>[],
): SandboxMerchant {
  return { login, controlKey, publicKeyPem: publicKey, endpoints: own.map(({ id, currency }) => ({ id, currency })) };
}

/** The merchant of an endpoint, with that endpoint alone. */
export function merchantOf(store: Store, endpointId: string): SandboxMerchant | undefined {
  const endpoint = endpoints.get(store, 'WHERE id = ?', endpointId);
  const row = endpoint === undefined ? undefined : merchants.get(store, 'WHERE login = ?', endpoint.login);
  return endpoint === undefined || row === undefined ? undefined : merchantFrom(row, [endpoint]);
}

/**
 * The RSA private key of the built-in merchant, as PEM; generated when first needed. It protects only this sandbox,
 * whose file is readable by its owner only, so both halves are stored there.
 */
export function builtinPrivateKey({ database, random }: Store): string {
  const read = () => database.get('SELECT private_key FROM merchants WHERE login = ?', builtinLogin)?.['private_key'];
  const known = read();
  if (typeof known === 'string') return known;
  const pair = random.rsaPem();
  // Two processes may have generated one each: the first one counts.
  database.run(
    'UPDATE merchants SET public_key = ?, private_key = ? WHERE login = ? AND private_key IS NULL',
    pair.publicKey,
    pair.privateKey,
    builtinLogin,
  );
  return String(read() ?? pair.privateKey);
}
