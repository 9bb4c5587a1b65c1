import { percentEncode } from '../../wire/form.js';
import type { BaseStringMistake, OauthParts } from './oauth-parts.js';

interface Place {
  readonly scheme: string;
  readonly host: string;
  /** With its colon; empty for the default port. */
  readonly port: string;
  readonly path: string;
}

type AddressVariant = readonly [variant: string, detail: string, uri: string];

/** Method and address (3.4.1.1, 3.4.1.2). */
export function* addressMistakes(parts: OauthParts): Generator<BaseStringMistake> {
  const place = placeOf(parts);
  for (const [variant, detail, uri] of [
    ...addresses(place),
    ...shapes(place, parts.given.url),
    ...loopbacks(place),
    ...shorterPaths(place),
  ])
    yield { name: 'scheme-host-port', variant, detail, elements: { uri: percentEncode(uri) } };
  const { method } = parts.given;
  for (const name of ['GET', method.toLowerCase(), 'PUT', 'POST', 'DELETE', 'PATCH', capitalised(method), ''])
    yield {
      name: 'method',
      variant: name === '' ? 'none' : name,
      detail: `${name === '' ? 'no method' : `the method ${name}`} signed; it must be ${parts.elements.method}, in upper case`,
      elements: { method: name },
    };
}

const defaultPorts: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

/** The parts of the address that is signed. */
function placeOf({ uri }: OauthParts): Place {
  const [, scheme = '', host = '', port = '', path = ''] =
    /^(https?):\/\/(\[[^\]]*\]|[^:/]*)(:\d+)?(\/.*)$/.exec(uri) ?? [];
  return { scheme, host, port, path };
}

function addresses({ scheme, host, port, path }: Place): AddressVariant[] {
  const other = scheme === 'https' ? 'http' : 'https';
  const usual = defaultPorts[scheme] ?? '';
  const otherUsual = defaultPorts[other] ?? '';
  const withPort =
    port === ''
      ? []
      : ([
          ['port-lost', 'the port left out; only the default port may be left out', `${scheme}://${host}${path}`],
        ] as const);
  return [
    [`${other}-for-${scheme}`, `${other} signed instead of ${scheme}`, `${other}://${host}${port}${path}`],
    port === ''
      ? ['default-port', `the default port ${usual} kept; it must be left out`, `${scheme}://${host}${usual}${path}`]
      : ['other-port', `the port ${usual} signed; it must be ${port}`, `${scheme}://${host}${usual}${path}`],
    ...withPort,
    ['scheme-and-port', `${other} and no port signed`, `${other}://${host}${path}`],
    ['scheme-and-port', `${other} and its default port signed`, `${other}://${host}${otherUsual}${path}`],
    [
      'scheme-and-port',
      `${other} signed with the port of ${scheme}, ${usual}; it must be ${scheme} ${port === '' ? 'without a port' : `and ${port}`}`,
      `${other}://${host}${usual}${path}`,
    ],
  ];
}

function shapes({ scheme, host, port, path }: Place, written: string): AddressVariant[] {
  const origin = `${scheme}://${host}${port}`;
  const [, writtenOrigin = origin] = /^([^/?#]*\/\/[^/?#]*)/.exec(written) ?? [];
  const writtenHost = writtenOrigin.slice(writtenOrigin.indexOf('//'));
  const fragment = /#.*$/.exec(written)?.[0] ?? '';
  const resolved = URL.canParse(origin + path) ? new URL(origin + path).pathname : path;
  return [
    path.endsWith('/')
      ? ['slash-lost', 'the slash at the end of the path left out', origin + path.replace(/\/+$/, '')]
      : ['slash-added', 'a slash added at the end of the path', `${origin}${path}/`],
    [
      'case-kept',
      'scheme and host signed as they are written; they must be lower case, and the default port must be left out',
      writtenOrigin + path,
    ],
    [
      'case-kept',
      'the host signed as it is written; it must be lower case, and the default port must be left out',
      `${scheme}:${writtenHost}${path}`,
    ],
    [
      'upper-case',
      'the host signed in upper case; it must be lower case',
      `${scheme}://${host.toUpperCase()}${port}${path}`,
    ],
    ['path-lower-case', 'the path signed in lower case; it must be signed as it is sent', origin + path.toLowerCase()],
    ['path-resolved', 'dots in the path resolved; it must be signed as it is sent', origin + resolved],
    ['slash-added', 'a slash added at the end of the path', `${origin}${path}/`],
    [
      'case-kept',
      'the host signed as it is written and without its port; it must be lower case, and the port must stay',
      `${scheme}:${writtenHost.replace(/:\d+$/, '')}${path}`,
    ],
    ['fragment-kept', 'the fragment signed; it must be left out', origin + path + fragment],
    ['host-lost', 'only the path signed, without scheme and host', path],
    ['scheme-lost', 'the address signed without its scheme', `${host}${port}${path}`],
    ['scheme-lost', 'the address signed without its scheme', `//${host}${port}${path}`],
    ['path-lost', 'only scheme and host signed, without the path', origin],
    ['path-lost', 'only scheme and host signed, without the path', `${origin}/`],
  ];
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** This machine has several names. */
function loopbacks({ host, port, path }: Place): AddressVariant[] {
  if (!loopbackNames.includes(host)) return [];
  return loopbackNames
    .filter((name) => name !== host)
    .flatMap((name) =>
      ['http', 'https'].flatMap((scheme) =>
        ['', port].map(
          (itsPort): AddressVariant => [
            'other-name',
            `${scheme}://${name}${itsPort} signed instead of ${host}`,
            `${scheme}://${name}${itsPort}${path}`,
          ],
        ),
      ),
    );
}

/** As a program behind a proxy sees the path, or one that leaves out the endpoint id. */
function shorterPaths({ scheme, host, port, path }: Place): AddressVariant[] {
  const origin = `${scheme}://${host}${port}`;
  const start = path.indexOf('/api/') > 0 ? path.indexOf('/api/') : path.indexOf('/', 1);
  const hasPrefix = start > 0 && start < path.length - 1;
  const rest = /^(.+)\/(?:group\/)?[^/]+\/?$/.exec(path)?.[1];
  const asSent = 'it must be signed as it is sent';
  const prefix = `the path signed without ${path.slice(0, start)} at its beginning; ${asSent}`;
  const end = `the path signed without its last part, the endpoint id; ${asSent}`;
  return [
    ...(hasPrefix ? [['path-prefix-lost', prefix, origin + path.slice(start)] as const] : []),
    ...(rest === undefined ? [] : ['', '/'].map((slash) => ['path-end-lost', end, origin + rest + slash] as const)),
  ];
}

function capitalised(method: string): string {
  return method.slice(0, 1).toUpperCase() + method.slice(1).toLowerCase();
}
