import { percentEncode } from '../../wire/form.js';
import { decodedOnce } from './compare.js';
import { type OauthCase, type OauthRow, set } from './oauth-recipe.js';
import { common, family } from './search.js';

const sameAddress =
  'sign the address the request is sent to, built once for both: scheme and host in lower case, the port unless it is the default, the path as it is, neither query nor fragment';

/** Method and address (3.4.1.1, 3.4.1.2). */
export function addressRows({ url }: OauthCase, uri: string): OauthRow[] {
  const [, scheme = '', host = '', port = '', path = ''] =
    /^(https?):\/\/(\[[^\]]*\]|[^:/]*)(:\d+)?(\/.*)$/.exec(uri) ?? [];
  const lines = [...origins({ scheme, host, port, path }), ...paths({ scheme, host, port, path }, url)];
  const encoders = [encodeURI, encodeURIComponent, (text: string) => percentEncode(text)];
  const again = (encode: (text: string) => string) => path.split('/').map(encode).join('/');
  const withPath = (text: string) => set({ address: `${scheme}://${host}${port}${text}` });
  return [
    ...family(
      'scheme-host-port',
      sameAddress,
      lines.map(([variant, detail, address, mark]) => [variant, detail, set({ address }), mark] as const),
    ),
    ...family(
      'method',
      'sign the method that is sent, in upper case: POST',
      ['GET', 'post', 'PUT', 'Post', ''].map((name) => {
        const mark = name === 'GET' || name === 'post' ? common : undefined;
        return [name || 'none', `the method ${name || '(none)'} signed`, set({ method: name }), mark] as const;
      }),
    ),
    ...family('encoded-twice-or-once', 'sign the path exactly as it is sent', [
      ['path-decoded', 'the path decoded before it was signed', withPath(decodedOnce(path) ?? path)],
      ...encoders.map((encode) => ['path-again', 'the path encoded again', withPath(again(encode))] as const),
    ]),
  ];
}

interface Place {
  readonly scheme: string;
  readonly host: string;
  /** With its colon; empty for the default one. */
  readonly port: string;
  readonly path: string;
}

type AddressLine = readonly [variant: string, detail: string, address: string, mark?: typeof common];

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** Another scheme, port or name of this machine; likeliest those that differ in one of them. */
function origins({ scheme, host, port, path }: Place): AddressLine[] {
  const [other, usual, itsUsual] = scheme === 'https' ? ['http', ':443', ':80'] : ['https', ':80', ':443'];
  const names = loopbackNames.includes(host) ? loopbackNames.filter((name) => name !== host) : [];
  const named = names.flatMap((name) =>
    [scheme, other].flatMap((each) => [port, ''].map((end) => `${each}://${name}${end}`)),
  );
  return [
    [`${other}-for-${scheme}`, `${other} signed instead of ${scheme}`, `${other}://${host}${port}${path}`, common],
    ...(port === '' ? [] : [['port-lost', `the port ${port} left out`, `${scheme}://${host}${path}`, common] as const]),
    [
      port === '' ? 'default-port' : 'other-port',
      `the port ${usual} signed`,
      `${scheme}://${host}${usual}${path}`,
      common,
    ],
    ...['', itsUsual, usual].map(
      (end): AddressLine => ['scheme-and-port', `${other}://${host}${end} signed`, `${other}://${host}${end}${path}`],
    ),
    ...named.map((each): AddressLine => ['other-name', `${each} signed instead of ${host}`, each + path]),
  ];
}

/** The path otherwise, and the address as it is written or as a program behind a proxy sees it. */
function paths({ scheme, host, port, path }: Place, written: string): AddressLine[] {
  const origin = `${scheme}://${host}${port}`;
  const [writtenOrigin = origin] = /^[^/?#]*\/\/[^/?#]*/.exec(written) ?? [];
  const writtenHost = `${scheme}:${writtenOrigin.slice(writtenOrigin.indexOf('//'))}`;
  const asWritten = 'the address signed as it is written; it must be in lower case, without a default port';
  const noEndpoint = 'the endpoint id at the end of the path left out';
  const start = path.indexOf('/api/') > 0 ? path.indexOf('/api/') : path.indexOf('/', 1);
  const shorter = path.replace(/\/(?:group\/)?[^/]+\/?$/, '');
  return [
    path.endsWith('/')
      ? ['slash-lost', 'the slash at the end of the path left out', origin + path.replace(/\/+$/, '')]
      : ['slash-added', 'a slash added at the end of the path', `${origin}${path}/`, common],
    ['host-lost', 'only the path signed, without scheme and host', path, common],
    ...[writtenOrigin, writtenHost, writtenHost.replace(/:\d+$/, '')].map(
      (each): AddressLine => ['case-kept', asWritten, each + path],
    ),
    ['path-prefix-lost', 'the beginning of the path left out', origin + path.slice(Math.max(0, start))],
    ['path-end-lost', noEndpoint, origin + shorter],
    ['path-end-lost', noEndpoint, `${origin}${shorter}/`],
  ];
}
