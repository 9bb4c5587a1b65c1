import { percentEncode } from '../../wire/form.js';
import { type OauthCase, type OauthRow, set } from './oauth-recipe.js';
import { decodedOnce } from './parsed-base-string.js';
import { family } from './search.js';

const defaultPorts: Readonly<Record<string, string>> = { http: ':80', https: ':443' };
const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];
const sameAddress =
  'sign the address the request is sent to, built once for both: scheme and host in lower case, the port unless it is the default, the path as it is, neither query nor fragment';

type AddressLine = readonly [variant: string, detail: string, address: string];

/** Method and address (3.4.1.1, 3.4.1.2). */
export function addressRows({ method, url }: OauthCase, uri: string): OauthRow[] {
  const [, scheme = '', host = '', port = '', path = ''] =
    /^(https?):\/\/(\[[^\]]*\]|[^:/]*)(:\d+)?(\/.*)$/.exec(uri) ?? [];
  const place = { scheme, host, port, path, origin: `${scheme}://${host}${port}` };
  const lines = [...schemes(place), ...shapes(place, url), ...shorterPaths(place), ...loopbacks(place)];
  const methods = ['GET', method.toLowerCase(), 'PUT', 'POST', 'DELETE', 'PATCH', 'Post', ''];
  return [
    ...family(
      'scheme-host-port',
      sameAddress,
      lines.map(([variant, detail, address]) => [variant, detail, set({ address })]),
    ),
    ...family(
      'method',
      'sign the method that is sent, in upper case: POST',
      methods.map((name) => [name || 'none', `the method ${name || '(none)'} signed`, set({ method: name })]),
    ),
    ...family('encoded-twice-or-once', 'sign the path exactly as it is sent', [
      ['path-decoded', 'the path decoded before it was signed', onPath((each) => decodedOnce(each) ?? each)],
      ...[encodeURI, encodeURIComponent, (text: string) => percentEncode(text)].map(
        (encode) =>
          ['path-again', 'the path encoded again', onPath((each) => each.split('/').map(encode).join('/'))] as const,
      ),
    ]),
  ];
}

function onPath(change: (path: string) => string): OauthRow['change'] {
  return ({ address }) => {
    const start = address.indexOf('/', address.indexOf('//') + 2);
    return start === -1 ? undefined : { address: address.slice(0, start) + change(address.slice(start)) };
  };
}

interface Place {
  readonly scheme: string;
  readonly host: string;
  /** With its colon; empty for the default one. */
  readonly port: string;
  readonly path: string;
  readonly origin: string;
}

function schemes({ scheme, host, port, path }: Place): AddressLine[] {
  const other = scheme === 'https' ? 'http' : 'https';
  const [usual = '', itsUsual = ''] = [defaultPorts[scheme], defaultPorts[other]];
  return [
    [`${other}-for-${scheme}`, `${other} signed instead of ${scheme}`, `${other}://${host}${port}${path}`],
    port === ''
      ? ['default-port', `the default port ${usual} signed; it must be left out`, `${scheme}://${host}${usual}${path}`]
      : ['port-lost', `the port ${port} left out`, `${scheme}://${host}${path}`],
    ['other-port', `the port ${usual} signed`, `${scheme}://${host}${usual}${path}`],
    ['scheme-and-port', `${other} signed without the port`, `${other}://${host}${path}`],
    ['scheme-and-port', `${other} signed with the port ${itsUsual}`, `${other}://${host}${itsUsual}${path}`],
    ['scheme-and-port', `${other} signed with the port ${usual}`, `${other}://${host}${usual}${path}`],
  ];
}

function shapes({ scheme, host, port, path, origin }: Place, written: string): AddressLine[] {
  const [writtenOrigin = origin] = /^[^/?#]*\/\/[^/?#]*/.exec(written) ?? [];
  const writtenHost = writtenOrigin.slice(writtenOrigin.indexOf('//'));
  const asWritten = 'signed as it is written; it must be in lower case, without a default port';
  return [
    path.endsWith('/')
      ? ['slash-lost', 'the slash at the end of the path left out', origin + path.replace(/\/+$/, '')]
      : ['slash-added', 'a slash added at the end of the path', `${origin}${path}/`],
    ['slash-added', 'a slash added at the end of the path', `${origin}${path}/`],
    ['host-lost', 'only the path signed, without scheme and host', path],
    ['case-kept', `the address ${asWritten}`, writtenOrigin + path],
    ['case-kept', `the host ${asWritten}`, `${scheme}:${writtenHost}${path}`],
    ['case-kept', `the host ${asWritten}`, `${scheme}:${writtenHost.replace(/:\d+$/, '')}${path}`],
    ['upper-case', 'the host signed in upper case', `${scheme}://${host.toUpperCase()}${port}${path}`],
    ['path-lower-case', 'the path signed in lower case', origin + path.toLowerCase()],
    [
      'path-resolved',
      'dots in the path resolved',
      origin + (URL.canParse(origin + path) ? new URL(origin + path).pathname : path),
    ],
    ['fragment-kept', 'the fragment signed', origin + path + (/#.*$/.exec(written)?.[0] ?? '')],
    ['scheme-lost', 'the address signed without its scheme', `${host}${port}${path}`],
    ['scheme-lost', 'the address signed without its scheme', `//${host}${port}${path}`],
    ['path-lost', 'only scheme and host signed, without the path', origin],
    ['path-lost', 'only scheme and host signed, without the path', `${origin}/`],
  ];
}

/** As a program behind a proxy sees the path, or one that leaves out the endpoint id. */
function shorterPaths({ path, origin }: Place): AddressLine[] {
  const start = path.indexOf('/api/') > 0 ? path.indexOf('/api/') : path.indexOf('/', 1);
  const rest = /^(.+)\/(?:group\/)?[^/]+\/?$/.exec(path)?.[1] ?? '';
  return [
    [
      'path-prefix-lost',
      `the path signed without its beginning ${path.slice(0, start)}`,
      origin + path.slice(Math.max(0, start)),
    ],
    ['path-end-lost', 'the path signed without its last part, the endpoint id', origin + rest],
    ['path-end-lost', 'the path signed without its last part, the endpoint id', `${origin}${rest}/`],
  ];
}

/** This machine has several names. */
function loopbacks({ host, port, path }: Place): AddressLine[] {
  const others = loopbackNames.includes(host) ? loopbackNames.filter((name) => name !== host) : [];
  const origins = others.flatMap((name) =>
    ['http', 'https'].flatMap((scheme) => ['', port].map((each) => `${scheme}://${name}${each}`)),
  );
  return origins.map((origin) => ['other-name', `${origin} signed instead of ${host}`, origin + path]);
}
