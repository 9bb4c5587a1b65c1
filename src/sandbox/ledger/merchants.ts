import { fail } from '../../errors/index.js';
import { readPublicKey } from '../../signing/index.js';
import { parseEndpointId } from '../../wire/address.js';
import { builtinEndpointId, builtinLogin, optionalText, type Store, text } from './store.js';

interface SandboxEndpoint {
  readonly id: string;
  /** The only currency it takes; undefined when it stands for a group and takes any. */
  readonly currency: string | undefined;
}

export interface SandboxMerchant {
  readonly login: string;
  /** Plain text: not secret from the user of this sandbox, who has to give it to a client. */
  readonly controlKey: string;
  readonly publicKeyPem: string | undefined;
  readonly endpoints: readonly SandboxEndpoint[];
}

export interface NewMerchant {
  readonly login: string;
  readonly controlKey: string;
  readonly publicKeyPem?: string | undefined;
  readonly endpointId: string;
}

const wrongLogin = 'other-shop';

/** The merchants every sandbox starts with. The second one is for trying a wrong merchant. */
export function addBuiltinMerchants(store: Store): void {
  addWithControlKey(store, builtinLogin);
  addEndpoint(store, builtinEndpointId, builtinLogin, null);
  addEndpoint(store, '4002', builtinLogin, 'EUR');
  addWithControlKey(store, wrongLogin);
  addEndpoint(store, '4100', wrongLogin, null);
}

function addWithControlKey({ database, random }: Store, login: string): void {
  database.run('INSERT INTO merchants (login, control_key) VALUES (?, ?)', login, random.uuid());
}

function addEndpoint({ database }: Store, id: string, login: string, currency: string | null): void {
  database.run('INSERT INTO endpoints VALUES (?, ?, ?)', id, login, currency);
}

/** Adds a merchant, or gives a known one new keys and one more endpoint. Throws USAGE. */
export function addMerchant(store: Store, merchant: NewMerchant): void {
  const { database } = store;
  const { login, controlKey } = merchant;
  const endpointId = parseEndpointId(merchant.endpointId);
  const publicKey = publicKeyText(merchant);
  if (!/^[A-Za-z0-9_-]{1,20}$/.test(login))
    throw fail('USAGE', { why: 'a login is 1 to 20 letters, digits, - and _', command });
  if (controlKey === '') throw fail('USAGE', { why: 'the control key is empty', command });
  database.transaction(() => {
    const owner = optionalText(database.get('SELECT login FROM endpoints WHERE id = ?', endpointId) ?? {}, 'login');
    if (owner !== undefined && owner !== login)
      throw fail('USAGE', {
        why: `endpoint ${endpointId} of this sandbox belongs to merchant ${owner}; ${freeEndpoint(store)} is free: --endpoint-id ${freeEndpoint(store)}`,
        endpoint: endpointId,
        login: owner,
        command,
      });
    database.run(
      `INSERT INTO merchants (login, control_key, public_key) VALUES (?, ?, ?) ON CONFLICT (login)
       DO UPDATE SET control_key = excluded.control_key, public_key = coalesce(excluded.public_key, public_key)`,
      login,
      controlKey,
      publicKey,
    );
    if (owner === undefined) addEndpoint(store, endpointId, login, null);
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
  const known = listMerchants(store).find((each) => each.login === login);
  if (known !== undefined) {
    const endpoint = known.endpoints[0]?.id ?? 'ID';
    throw fail('USAGE', {
      why: `this sandbox already has a merchant ${login}: \`paycli sandbox start --login ${login} --endpoint-id ${endpoint} --control-key-file FILE\` gives it a new control key`,
      login,
      endpoint,
      command: 'sandbox merchant add',
    });
  }
  const pair = store.random.rsaPem();
  const controlKey = store.random.uuid();
  addMerchant(store, { login, endpointId, controlKey, publicKeyPem: pair.publicKey });
  return { login, endpointId, controlKey, privateKeyPem: pair.privateKey };
}

function freeEndpoint({ database }: Store): string {
  const used = new Set(database.all('SELECT id FROM endpoints').map((row) => text(row, 'id')));
  let id = firstOwnEndpoint;
  while (used.has(String(id))) id += 1;
  return String(id);
}

function publicKeyText({ login, publicKeyPem }: NewMerchant): string | null {
  if (publicKeyPem === undefined) return null;
  if (login === builtinLogin)
    throw fail('USAGE', {
      why: `${builtinLogin} already has its own key pair; choose another login`,
      login: builtinLogin,
      command,
    });
  return String(readPublicKey(publicKeyPem).keyObject.export({ type: 'spki', format: 'pem' }));
}

const command = 'sandbox start';

export function listMerchants({ database }: Store): SandboxMerchant[] {
  const endpoints = database.all('SELECT * FROM endpoints ORDER BY length(id), id');
  return database
    .all(`SELECT * FROM merchants ORDER BY login <> '${builtinLogin}', login`)
    .map((row) => merchantFrom(row, endpoints));
}

/** The logins of the merchants that the user added. */
export function addedLogins(store: Store): readonly string[] {
  const logins = listMerchants(store).map(({ login }) => login);
  return logins.filter((login) => login !== builtinLogin && login !== wrongLogin);
}

type Row = ReturnType<Store['database']['all']>[number];

function merchantFrom(row: Row, endpoints: readonly Row[]): SandboxMerchant {
  return {
    login: text(row, 'login'),
    controlKey: text(row, 'control_key'),
    publicKeyPem: optionalText(row, 'public_key'),
    endpoints: endpoints
      .filter((endpoint) => text(endpoint, 'login') === text(row, 'login'))
      .map((endpoint) => ({ id: text(endpoint, 'id'), currency: optionalText(endpoint, 'currency') })),
  };
}

/** The merchant of an endpoint, with that endpoint alone. */
export function merchantOf({ database }: Store, endpointId: string): SandboxMerchant | undefined {
  const row = database.get('SELECT * FROM endpoints JOIN merchants USING (login) WHERE id = ?', endpointId);
  return row === undefined ? undefined : merchantFrom(row, [row]);
}

/**
 * The RSA private key of the built-in merchant, as PEM; generated when first needed. It protects only this sandbox,
 * whose file is readable by its owner only, so both halves are stored there.
 */
export function builtinPrivateKey({ database, random }: Store): string {
  const read = () =>
    optionalText(database.get('SELECT private_key FROM merchants WHERE login = ?', builtinLogin) ?? {}, 'private_key');
  const known = read();
  if (known !== undefined) return known;
  const pair = random.rsaPem();
  // Two processes may have generated one each: the first one counts.
  database.run(
    'UPDATE merchants SET public_key = ?, private_key = ? WHERE login = ? AND private_key IS NULL',
    pair.publicKey,
    pair.privateKey,
    builtinLogin,
  );
  return read() ?? pair.privateKey;
}
