export interface Place {
  readonly scheme: string;
  readonly host: string;
  /** With its colon; empty for the default port. */
  readonly port: string;
  readonly path: string;
}

export type AddressVariant = readonly [variant: string, detail: string, uri: string];

/** The address of another place of the same gateway: shorter, of another version, or on the machine of a developer. */
export function otherPaths(place: Place): AddressVariant[] {
  return [...shorter(place), ...ofOtherOperations(place), ...local(place)];
}

const asSent = 'it must be signed as it is sent';

function shorter({ scheme, host, port, path }: Place): AddressVariant[] {
  const origin = `${scheme}://${host}${port}`;
  const start = path.indexOf('/api/') > 0 ? path.indexOf('/api/') : path.indexOf('/', 1);
  const rest = /^(.+)\/(?:group\/)?[^/]+\/?$/.exec(path)?.[1];
  return [
    ...(start <= 0 || start === path.length - 1
      ? []
      : [
          [
            'path-prefix-lost',
            `the path signed without ${path.slice(0, start)} at its beginning; ${asSent}`,
            origin + path.slice(start),
          ] as const,
        ]),
    ...(rest === undefined
      ? []
      : ['', '/'].map(
          (end): AddressVariant => [
            'path-end-lost',
            `the path signed without its last part, the endpoint id; ${asSent}`,
            `${origin}${rest}${end}`,
          ],
        )),
  ];
}

// Those whose requests are signed by OAuth, and those of which the names are near.
const names = ['transfer', 'payout', 'payout-check', 'status', 'sale', 'preauth', 'capture', 'return', 'cancel'];

function ofOtherOperations({ scheme, host, port, path }: Place): AddressVariant[] {
  const [before = '', version = '', name = '', rest = ''] = /^(.*\/)v(\d)\/([^/]+)(.*)$/.exec(path)?.slice(1) ?? [];
  if (version === '') return [];
  const start = `${scheme}://${host}${port}${before}v`;
  return [
    ...['1', '2', '3', '4', '5']
      .filter((other) => other !== version)
      .map(
        (other): AddressVariant => [
          'path-version',
          `the path signed with v${other} instead of v${version}; ${asSent}`,
          `${start}${other}/${name}${rest}`,
        ],
      ),
    ...names
      .filter((other) => other !== name)
      .map(
        (other): AddressVariant => [
          'path-operation',
          `the path of another operation signed, ${other}; ${asSent}`,
          `${start}${version}/${other}${rest}`,
        ],
      ),
  ];
}

function local({ scheme, host, port, path }: Place): AddressVariant[] {
  return [':8080', ':3000', ':8000', ''].map((itsPort) => [
    'other-host',
    `http://localhost${itsPort} signed instead of ${scheme}://${host}${port}; sign the address the request is sent to`,
    `http://localhost${itsPort}${path}`,
  ]);
}
