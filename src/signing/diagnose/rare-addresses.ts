import { decodedOrSame, percentEncode } from '../../wire/form.js';
import type { BaseStringMistake, OauthParts } from './oauth-parts.js';
import { parametersOf } from './oauth-parts.js';

/** Addresses and methods that few programs sign: parts of a URL as its properties give them, and printed methods. */
export function* rareAddresses(parts: OauthParts): Generator<BaseStringMistake> {
  yield* addresses(parts);
  yield* methods(parts);
}

function* addresses({ uri, queryText, items, elements, given }: OauthParts): Generator<BaseStringMistake> {
  const [, scheme = '', host = '', port = '', path = ''] =
    /^(https?):\/\/(\[[^\]]*\]|[^:/]*)(:\d+)?(\/.*)$/.exec(uri) ?? [];
  const [, writtenHost = host] = /^[^/?#]*\/\/([^/?#:]*)/.exec(given.url) ?? [];
  const other = scheme === 'https' ? 'http' : 'https';
  const usual = scheme === 'https' ? ':443' : ':80';
  const starts = new Set<string>();
  for (const itsHost of [host, writtenHost, host.toUpperCase(), inCapitals(host)])
    for (const itsScheme of [scheme, other, scheme.toUpperCase(), ''])
      for (const itsPort of [port, '', usual, ':-1', ':0', ':null', ':undefined', ':None', ':'])
        starts.add(`${itsScheme === '' ? '' : itsScheme}://${itsHost}${itsPort}`);
  for (const start of [...starts]) if (start.startsWith('://')) starts.add(start.slice(3)).add(start.slice(1));
  starts.add('');
  const paths = new Set([
    path,
    decodedOrSame(path),
    path.replace(/\/+$/, ''),
    path.toLowerCase(),
    path.slice(1),
    collapsed(path),
  ]);
  const ends = queryText === '' ? [''] : ['', `?${queryText}`, `?${decodedOrSame(queryText)}`, '?'];
  const unsigned = parametersOf(items.filter(({ from }) => from !== 'query').map(({ encoded }) => encoded));
  for (const start of starts)
    for (const itsPath of paths)
      for (const end of ends)
        for (const parameters of end.length > 1 ? [unsigned, elements.parameters] : [elements.parameters])
          yield {
            name: end.length > 1 ? 'query-left-out' : 'scheme-host-port',
            variant: 'address-printed',
            detail: 'another address signed, as a part of a URL or a program prints it',
            elements: { uri: percentEncode(start + itsPath + end), ...(end.length > 1 ? { parameters } : {}) },
          };
}

/** Each label as a name. */
function inCapitals(host: string): string {
  return host.replace(/(?<![^.-])[a-z]/g, (letter) => letter.toUpperCase());
}

function collapsed(path: string): string {
  return path.replace(/\/{2,}/g, '/');
}

function* methods({ elements }: OauthParts): Generator<BaseStringMistake> {
  const { method } = elements;
  for (const word of printedMethods(elements.method))
    for (const written of [word, percentEncode(word)])
      yield {
        name: 'method',
        variant: 'printed',
        detail: `the method signed as ${word.trim()}; it must be ${method}, in upper case`,
        elements: { method: written },
      };
}

function printedMethods(method: string): string[] {
  const [lower, title] = [method.toLowerCase(), method.slice(0, 1) + method.slice(1).toLowerCase()];
  return [
    ...[
      `Method: ${method}`,
      `Method: ${title}`,
      `HttpMethod.${method}`,
      `HttpMethod.${title}`,
      `Method.${method}`,
      `Method.${title}`,
    ],
    ...[
      `Net::HTTP::${title}`,
      `Http${title}`,
      `http.Method${title}`,
      `RequestMethod.${method}`,
      `HTTP ${method}`,
      `HTTP::${method}`,
    ],
    ...[
      `"${method}"`,
      `'${method}'`,
      `:${lower}`,
      `:${method}`,
      `${method} `,
      ` ${method}`,
      `${method}\n`,
      `[${method}]`,
      `b'${method}'`,
    ],
    ...[
      `HttpMethod {${method}}`,
      `Optional[${method}]`,
      'null',
      'undefined',
      'None',
      'nil',
      '<nil>',
      'System.Net.Http.HttpMethod',
    ],
    ...['0', '1', '2', 'HTTP', 'https', 'CONNECT', 'TRACE', 'ANY', '[object Object]', 'HTTP/1.1', `${method} HTTP/1.1`],
  ];
}
