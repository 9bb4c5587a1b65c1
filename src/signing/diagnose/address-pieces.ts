import { decodedOrSame } from '../../wire/form.js';
import type { Place } from './other-paths.js';
import { grouped } from './writings/numbers.js';

/** A part of an address as a program has it, and what is wrong with it; no words for the right one. */
export interface Piece {
  readonly text: string;
  readonly words: string;
}

/** What a template or a program has where a value was not put in, or nothing was configured. */
const placeholders = (names: readonly string[]) =>
  names.flatMap((name) => [
    ...[`{${name}}`, `:${name}`, `<${name}>`, `\${${name}}`, `$${name}`, `#{${name}}`, `{{${name}}}`, `[${name}]`],
    ...[`%7B${name}%7D`, `%3C${name}%3E`, `%(${name})s`, name, name.toUpperCase()],
  ]);
const formats = ['%s', '%d', '%v', '{}', '{0}', '{1}', '?', '*', 'xxx', 'XXXX', '...', '%1$s', '%@', '$1', '%7B%7D'];
const nothing = ['', '0', 'null', 'undefined', 'None', 'nil', '-1', '1', 'NaN', 'false', '<nil>', '%3Cnil%3E'];
const objects = [
  '[object Object]',
  '%5Bobject%20Object%5D',
  'Array',
  'Optional.empty',
  'System.String',
  '123',
  '12345',
];
const idNames = [
  ...['endpointId', 'endpoint_id', 'endpoint', 'endpointid', 'ENDPOINTID', 'endpoint-id', 'EndpointId', 'id'],
  ...['groupId', 'group_id', 'endpointGroupId', 'merchantId'],
];

/** In place of the id at the end of the path. */
export function otherIds(id: string, texts: readonly string[]): Piece[] {
  const piece = (words: string) => (text: string) => ({ text, words });
  const written = [
    ...[`${id}.0`, `"${id}"`, `'${id}'`, `b'${id}'`, ` ${id}`, `${id} `, `%20${id}`, `${id}%20`, `${id}\n`, `${id}%0A`],
    ...[`${id}\r\n`, `${id}%0D%0A`, id.replace(/^0+/, ''), `0${id}`, `00${id}`, id.slice(0, -1), id.slice(1)],
    ...[grouped(id, ','), grouped(id, '.'), grouped(id, '%20'), `[${id}]`, `Optional[${id}]`, `Some(${id})`, `:${id}`],
    ...[`%22${id}%22`, `#${id}`, `%23${id}`, `${id}${id}`, `{${id}}`, `<${id}>`, `id=${id}`, `endpoint=${id}`],
    ...(/^\d{1,15}$/.test(id) ? [String(Number(id) + 1), String(Number(id) - 1), `0x${Number(id).toString(16)}`] : []),
  ];
  return [
    ...nothing.map((text) => ({ text, words: `${text === '' ? 'nothing' : text} in place of ${id}, the endpoint id` })),
    ...[...placeholders(idNames), ...formats].map((text) => ({
      text,
      words: `the placeholder ${text} in place of ${id}, the endpoint id`,
    })),
    ...objects.map((text) => ({ text, words: `${text} in place of ${id}, the endpoint id` })),
    ...texts.map(piece(`another value of the request in place of ${id}, the endpoint id`)),
    ...written.map(piece(`the endpoint id ${id} written differently`)),
  ];
}

const added = [
  ...['group', 'api', 'v1', 'v2', 'v3', 'v4', 'v5', 'paynet', 'rest', 'public', 'index.php', 'proxy', 'gateway'],
  ...['app', 'payment', 'payments', 'paynet-ui', 'merchant', 'endpoint', 'sandbox', 'test', 'gw', 'pay', '.', '..', ''],
];
const ends = [
  ...['/', '//', '?', '#', '&', '/?', '.json', '.php', ' ', '%20', '\n', '%0A', '.', ',', ';', ':', '*', '/*', '/.'],
  ...['/index', '/index.php', '?null', '?undefined', '%3F', '"', "'", '\r\n', '/null', '/undefined', '/None', '=', '+'],
];

/** The path with one of its segments changed, one more or one less; those of whole programs' habits among them. */
export function otherPathPieces(path: string, texts: readonly string[]): Piece[] {
  const segments = path.split('/').slice(1);
  const last = segments.at(-1) === '' ? segments.length - 2 : segments.length - 1;
  const made: Piece[] = [];
  const add = (words: string, list: readonly string[]) => made.push({ text: `/${list.join('/')}`, words });
  const id = segments[last] ?? '';
  for (const end of ends) made.push({ text: path + end, words: `${JSON.stringify(end)} after the path` });
  for (const { text, words } of otherIds(id, texts)) add(words, segments.with(last, text));
  for (const [at, segment] of segments.entries()) {
    const named = segment === '' ? 'an empty part' : `/${segment}`;
    add(`the path without ${named}`, segments.toSpliced(at, 1));
    for (const times of [2, 3, 4])
      add(`${named} ${timesWords[times]} in the path`, segments.toSpliced(at, 1, ...Array(times).fill(segment)));
    for (const text of caseForms(segment)) add(`/${text} in the path instead of ${named}`, segments.with(at, text));
    for (const text of added)
      add(text === '' ? 'two slashes in the path' : `/${text} more in the path`, segments.toSpliced(at, 0, text));
    const next = segments[at + 1];
    if (next !== undefined) {
      add('two parts of the path swapped', segments.toSpliced(at, 2, next, segment));
      add('the path without one of its slashes', segments.toSpliced(at, 2, segment + next));
      add('a dot for a slash of the path', segments.toSpliced(at, 2, `${segment}.${next}`));
    }
    if (at > 0) {
      add('the beginning of the path left out', segments.slice(at));
      add('the end of the path left out', segments.slice(0, at));
      add('the end of the path left out', [...segments.slice(0, at), '']);
      add('the beginning of the path twice', [...segments.slice(0, at), ...segments]);
    }
    if (at < last && segment !== '')
      for (const text of [...placeholders(partNames), ...formats])
        add(`the placeholder ${text} in the path instead of ${named}`, segments.with(at, text));
  }
  add('the path twice', [...segments, ...segments]);
  for (const text of texts) add('another value of the request after the path', [...segments, text]);
  return [...made, ...wholeForms(path)];
}

const timesWords: Readonly<Record<number, string>> = { 2: 'twice', 3: 'three times', 4: 'four times' };
const partNames = ['operation', 'method', 'action', 'path', 'version', 'api', 'command'];

function caseForms(segment: string): string[] {
  const words = segment.split(/[-_]/);
  const title = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);
  return [
    ...[segment.toUpperCase(), segment.toLowerCase(), title(segment), words.map(title).join(''), words.join('')],
    ...[[words[0] ?? '', ...words.slice(1).map(title)].join(''), words.join('_'), words.join('-'), `${segment}s`],
    ...[segment.replace(/s$/, ''), segment.replace(/^v(?=\d)/, ''), segment.replace(/^v(?=\d)/, 'V'), `${segment}.php`],
    ...[segment.replace(/^v(\d)$/, 'v$1.0'), words[0] ?? '', words.at(-1) ?? '', words.toReversed().join('-')],
  ];
}

function wholeForms(path: string): Piece[] {
  return [
    { text: '', words: 'no path' },
    { text: '/', words: 'no path but a slash' },
    { text: path.slice(1), words: 'the path without its first slash' },
    { text: path.toLowerCase(), words: 'the path in lower case' },
    { text: path.toUpperCase(), words: 'the path in upper case' },
    { text: decodedOrSame(path), words: 'the path decoded' },
    { text: path.replace(/\/{2,}/g, '/'), words: 'the path with single slashes' },
    { text: path.replaceAll('/', '\\'), words: 'the path with backslashes' },
    { text: `/${encodeURIComponent(path)}`, words: 'the path encoded' },
    { text: encodeURIComponent(path), words: 'the path encoded' },
  ];
}

const firstLabels = [
  ...['sandbox', 'gate', 'gateway', 'api', 'www', 'secure', 'live', 'prod', 'production', 'test', 'staging', 'stage'],
  ...['dev', 'demo', 'payment', 'payments', 'pay', 'checkout', 'uat', 'qa', 'beta', 'preprod', 'gw', 'app', 'merchant'],
];
const localHosts = ['localhost', '127.0.0.1', '[::1]', '0.0.0.0', 'host.docker.internal', 'example.com', 'api', 'app'];

/** Another host: of another environment, of this machine, none, or with a user before it. */
export function otherHosts({ host }: Place, written: string, users: readonly string[]): Piece[] {
  const labels = host.split('.');
  const rest = labels.slice(1).join('.');
  const other = (text: string) => ({
    text,
    words: `${text === '' ? 'no host' : `the host ${text}`} instead of ${host}`,
  });
  const environments = firstLabels.flatMap((label) => [
    ...(labels.length > 2 ? [`${label}.${rest}`] : []),
    ...[`${label}.${host}`, `${label}-${host}`, host.replace(/^([^.]+)/, `$1-${label}`)],
  ]);
  return [
    ...[written, host.toUpperCase(), inCapitals(host), '', ...nothing, ...localHosts, rest],
    ...[host.replace(/^(?:sandbox|test|demo|staging|dev)-|-(?:sandbox|test|demo|staging|dev)(?=\.)/, '')],
    ...[...environments, `${host}.`, labels[0] ?? '', labels.slice(0, -1).join('.'), host.replace(/^www\./, '')],
    ...placeholders(['host', 'hostname', 'domain', 'server', 'gateway', 'base_url', 'baseUrl']),
  ]
    .map(other)
    .concat(
      users.map((user) => ({ text: `${user}@${host}`, words: 'a user before the host, as for basic authentication' })),
    );
}

/** Each label as a name. */
function inCapitals(host: string): string {
  return host.replace(/(?<![^.-])[a-z]/g, (letter) => letter.toUpperCase());
}

const numbers = [
  ...['443', '80', '8443', '8080', '8000', '3000', '5000', '8081', '8888', '9000', '9443', '4443', '4000', '9090'],
  ...['8444', '444', '1443', '10443', '3001', '5001', '8001', '8082', '7443', '6443', '8843', '44300', '44301'],
];
const noPorts = ['-1', '0', 'null', 'undefined', 'None', 'nil', '', '%s', '{port}', 'NaN', '<nil>'];

/** Another port than the right one, which may be none. */
export function otherPorts({ port }: Place): Piece[] {
  const due = port === '' ? 'none is right' : `${port} is right`;
  return [
    ...(port === '' ? [] : [{ text: '', words: `no port signed where ${due}` }]),
    ...numbers
      .filter((number) => `:${number}` !== port)
      .map((number) => ({ text: `:${number}`, words: `the port :${number} signed where ${due}` })),
    ...noPorts.map((word) => ({ text: `:${word}`, words: `no number for the port where ${due}` })),
    ...(port === '' ? [] : [{ text: port + port, words: 'the port twice' }]),
  ];
}

/** The scheme with what follows it. */
export function otherSchemes({ scheme }: Place): Piece[] {
  const other = scheme === 'https' ? 'http' : 'https';
  const words = `the beginning of the address signed differently, without ${scheme}://`;
  return [
    { text: `${other}://`, words: `${other} signed instead of ${scheme}` },
    ...['', '//', '://', `${scheme}:/`, `${scheme}:`, `${other}:/`, `${scheme}:///`, `${scheme}//`, `${scheme}`].map(
      (text) => ({ text, words }),
    ),
    ...[`${scheme.toUpperCase()}://`, 'HTTPS://', 'Https://', 'HTTP://', 'Http://', 'null://', 'undefined://'].map(
      (text) => ({ text, words }),
    ),
    ...['ftp://', 'ws://', 'wss://', `${scheme}://${scheme}://`, `${scheme}://${other}://`, ' https://', 'tcp://'].map(
      (text) => ({ text, words }),
    ),
  ];
}
