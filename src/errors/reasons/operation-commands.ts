import type { ReasonRow } from './reason.js';

export const operationCommandsReasons = {
  twoEndpointsNamed: {
    code: 'USAGE',
    why: 'the path and --endpoint-id name different endpoints; give one of them',
  },
  pathHasScheme: {
    code: 'USAGE',
    why: `{path} is signed as the interface says; leave out --scheme and --signed-values \
(\`paycli recipe {operation}\` shows how)`,
  },
  noApiPath: { code: 'USAGE', why: 'a path looks like /api/v2/sale, with or without an endpoint id at its end' },
  schemeNotNamed: {
    code: 'USAGE',
    why: '{path} is no path of the interface; say how to sign it with --scheme control, hmac-sha1, rsa-sha256 or none',
  },
  signedValuesNotNamed: {
    code: 'USAGE',
    why: 'control needs --signed-values with wire names of the request, login or endpointId, in their order',
  },
} as const satisfies Record<string, ReasonRow>;
