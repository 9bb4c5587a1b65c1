import { promises as dns } from 'node:dns';
import { BlockList, isIP } from 'node:net';

export interface Address {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (host: string) => Promise<readonly Address[]>;

export const systemResolve: Resolve = (host) => dns.lookup(host, { all: true, verbatim: true });

/** Where a callback may go: addresses that were looked at, or why it goes nowhere. */
export type Destination =
  | { readonly ok: true; readonly addresses: readonly [Address, ...Address[]] }
  | { readonly ok: false; readonly why: string };

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

// Metadata services of clouds answer at link-local addresses; the rest of these belongs to no single host.
const neverByName = new BlockList();
neverByName.addSubnet('0.0.0.0', 8);
neverByName.addSubnet('169.254.0.0', 16);
neverByName.addSubnet('224.0.0.0', 3);
neverByName.addSubnet('fe80::', 10, 'ipv6');
neverByName.addSubnet('ff00::', 8, 'ipv6');
neverByName.addAddress('fd00:ec2::254', 'ipv6');
neverByName.addAddress('::', 'ipv6');

/**
 * Looks a host up once and checks what it stands for, so that the connection goes to a checked address whatever the name
 * means a moment later. `allowed` are hosts, with or without a port, that may be elsewhere than on this machine.
 */
export async function destinationOf(url: URL, allowed: readonly string[], resolve: Resolve): Promise<Destination> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refused('only http and https addresses are called');
  if (url.username !== '' || url.password !== '') return refused('the address has a user name in it');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isLiteral = isIP(host) !== 0;
  const addresses = isLiteral ? [{ address: host, family: isIP(host) }] : await found(host, resolve);
  const [first, ...others] = addresses;
  if (first === undefined) return refused(`there is no host ${host}`);
  const isAllowed = isListed(url, allowed);
  const bad = addresses.find((each) => !(isIn(loopback, each) || (isAllowed && (isLiteral || !isIn(neverByName, each)))));
  if (bad === undefined) return { ok: true, addresses: [first, ...others] };
  if (isAllowed) return refused(`${host} stands for ${bad.address}, which is never called by a name`);
  const hint = `allow it with \`paycli sandbox start --callback-host ${url.host}\``;
  return refused(isLiteral ? `${host} is not on this machine; ${hint}` : `${host} stands for ${bad.address}, not on this machine; ${hint}`);
}

async function found(host: string, resolve: Resolve): Promise<readonly Address[]> {
  try {
    const addresses = await resolve(host);
    // The machine itself is mostly meant by its IPv4 address.
    return [...addresses].sort((a, b) => a.family - b.family);
  } catch {
    return [];
  }
}

/** An entry with a port allows that port, one without allows all. */
function isListed({ protocol, hostname, port }: URL, allowed: readonly string[]): boolean {
  const withPort = `${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
  return allowed.some((entry) => entry === hostname || entry === withPort);
}

/** An allow-list entry as it is compared: the host as an address writes it. Undefined when it is none. */
export function callbackHost(text: string): string | undefined {
  const parts = /^(?<host>\[[0-9A-Fa-f:.]+\]|[^\s:/?#@[\]]+)(?::(?<port>\d{1,5}))?$/.exec(text)?.groups;
  const address = `http://${parts?.['host'] ?? ''}`;
  if (parts === undefined || !URL.canParse(address)) return undefined;
  const port = parts['port'];
  return `${new URL(address).hostname}${port === undefined ? '' : `:${port}`}`;
}

function isIn(list: BlockList, { address, family }: Address): boolean {
  return list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

function refused(why: string): Destination {
  return { ok: false, why };
}
