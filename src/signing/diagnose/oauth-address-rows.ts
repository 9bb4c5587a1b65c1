import { percentEncode } from '../../wire/form.js';
import { type OauthCase, type OauthRow, set } from './oauth-recipe.js';
import { decodedOnce } from './parsed-base-string.js';
import { family } from './search.js';

const sameAddress =
  'sign the address the request is sent to, built once for both: scheme and host in lower case, the port unless it is the default, the path as it is, neither query nor fragment';

type AddressLine = readonly [variant: string, detail: string, address: string];

/** Method and address (3.4.1.1, 3.4.1.2). */
export function addressRows({ method, url }: OauthCase, uri: string): OauthRow[] {
  const [, scheme = '', host = '', port = '', path = ''] =
    /^(https?):\/\/(\[[^\]]*\]|[^:/]*)(:\d+)?(\/.*)$/.exec(uri) ?? [];
  const place = { scheme, host, port, path, origin: `${scheme}://${host}${port}` };
  const lines = [...origins(place), ...shapes(place, url), ...shorterPaths(place)];
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

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** Another scheme, port or name of this machine; likeliest those that differ in one of them. */
function origins({ scheme, host, port, path }: Place): AddressLine[] {
  const [other, usual] = scheme === 'https' ? ['http', ':443'] : ['https', ':80'];
  const itsUsual = usual === ':80' ? ':443' : ':80';
  const names = loopbackNames.includes(host) ? loopbackNames.filter((name) => name !== host) : [];
  const portLine: AddressLine =
    port === ''
      ? ['default-port', `the default port ${usual} signed; it must be left out`, `${scheme}://${host}${usual}${path}`]
      : ['port-lost', `the port ${port} left out`, `${scheme}://${host}${path}`];
  return [
    [`${other}-for-${scheme}`, `${other} signed instead of ${scheme}`, `${other}://${host}${port}${path}`],
    portLine,
    ['other-port', `the port ${usual} signed`, `${scheme}://${host}${usual}${path}`],
    ...['', itsUsual, usual].map((each): AddressLine => {
      const words = each === '' ? 'without the port' : `with the port ${each}`;
      return ['scheme-and-port', `${other} signed ${words}`, `${other}://${host}${each}${path}`];
    }),
    ...names
      .flatMap((name) => [scheme, other].flatMap((each) => [port, ''].map((end) => `${each}://${name}${end}`)))
      .map((origin): AddressLine => ['other-name', `${origin} signed instead of ${host}`, origin + path]),
  ];
}

function shapes({ scheme, host, port, path, origin }: Place, written: string): AddressLine[] {
  const [writtenOrigin = origin] = /^[^/?#]*\/\/[^/?#]*/.exec(written) ?? [];
  const writtenHost = writtenOrigin.slice(writtenOrigin.indexOf('//'));
  const asWritten = 'signed as it is written; it must be in lower case, without a default port';
  const resolved = URL.canParse(origin + path) ? new URL(origin + path).pathname : path;
  return [
    path.endsWith('/')
      ? ['slash-lost', 'the slash at the end of the path left out', origin + path.replace(/\/+$/, '')]
      : ['slash-added', 'a slash added at the end of the path', `${origin}${path}/`],
    ['host-lost', 'only the path signed, without scheme and host', path],
    ['case-kept', `the address ${asWritten}`, writtenOrigin + path],
    ['case-kept', `the host ${asWritten}`, `${scheme}:${writtenHost}${path}`],
    ['case-kept', `the host ${asWritten}`, `${scheme}:${writtenHost.replace(/:\d+$/, '')}${path}`],
    ['path-resolved', 'dots in the path resolved', origin + resolved],
    ['scheme-lost', 'the address signed without its scheme', `${host}${port}${path}`],
    ['path-lost', 'only scheme and host signed, without the path', origin],
  ];
}

/** As a program behind a proxy sees the path, or one that leaves out the endpoint id. */
function shorterPaths({ path, origin }: Place): AddressLine[] {
  const start = path.indexOf('/api/') > 0 ? path.indexOf('/api/') : path.indexOf('/', 1);
  const rest = /^(.+)\/(?:group\/)?[^/]+\/?$/.exec(path)?.[1] ?? '';
  const lost = path.slice(0, start);
  return [
    ['path-prefix-lost', `the path signed without its beginning ${lost}`, origin + path.slice(Math.max(0, start))],
    ...['', '/'].map(
      (end): AddressLine => [
        'path-end-lost',
        'the path signed without its last part, the endpoint id',
        origin + rest + end,
      ],
    ),
  ];
}
