import type { ControlEncoding, HmacKeyForm } from '../../../../../signing/index.js';
import { controlEncoding } from '../../../../../signing/index.js';
import { type Assume, allOperations, type Operation } from '../../../../../spec/index.js';
import { operationUrl } from '../../../../../wire/address.js';
import { fieldsInForce, protectionOf } from '../../../../../wire/check-request.js';
import { commented } from '../plan.js';

/** A reusable signer for all operations, without the words of any language. */
export interface ModulePlan {
  readonly baseUrl: string;
  readonly operations: readonly ModuleOperation[];
  readonly encoding: ControlEncoding;
  readonly keyForm: HmacKeyForm;
  /** A07: the HMAC-SHA1 requests repeat oauth_* in the body. */
  readonly repeatsInBody: boolean;
}

export interface ModuleOperation {
  readonly id: string;
  readonly scheme: 'control' | 'HMAC-SHA1' | 'RSA-SHA256' | 'none';
  /** Behind the base URL, up to the endpoint id, which follows it. */
  readonly path: string;
  /** What the checksum covers by wire name, besides `endpoint_id` and `login`. */
  readonly values: readonly string[];
  /** The body holds the merchant login. */
  readonly sendsLogin: boolean;
}

/** Lays out the signer for the operations and assumptions of a gateway. */
export function planModule({ baseUrl, assume }: { readonly baseUrl: string; readonly assume: Assume }): ModulePlan {
  return {
    baseUrl,
    operations: allOperations.map((row) => planOperation(row, assume)),
    encoding: controlEncoding(assume),
    keyForm: assume['hmac-key-encoding'] === 'raw' ? 'raw' : 'encoded',
    repeatsInBody: assume['oauth-in-body'] === 'hmac',
  };
}

const schemes = { control: 'control', 'hmac-sha1': 'HMAC-SHA1', 'rsa-sha256': 'RSA-SHA256', none: 'none' } as const;

function planOperation(row: Operation, assume: Assume): ModuleOperation {
  const protection = protectionOf(row, assume);
  const values = protection.scheme === 'control' ? protection.values : [];
  return {
    id: row.id,
    scheme: schemes[protection.scheme],
    path: operationUrl('', row.path, ''),
    values: values.map((name) => (name === 'endpointId' ? 'endpoint_id' : (row.fields[name]?.wire ?? name))),
    sendsLogin: fieldsInForce(row, assume).some(([key]) => key === 'login'),
  };
}

/**
 * What each signer tests itself with. The digests are what openssl says:
 *
 * ```sh
 * printf %s "${text}" | openssl dgst -sha1
 * printf %s "${baseString}" | openssl dgst -sha1 -mac HMAC -macopt "hexkey:…" -binary | base64
 * ```
 */
export const vectors = {
  key: 'k+/ é&=',
  amounts: [
    ['10.42', '1042'],
    ['0.05', '5'],
    ['500', '500'],
    ['', ''],
  ],
  controlText: "4001né 71042o'n+x@example.com",
  control: {
    'hex-lower': 'c650abc2743173e2dd70f797b0cf2bc372c29d3d',
    'hex-upper': 'C650ABC2743173E2DD70F797B0CF2BC372C29D3D',
    base64: 'xlCrwnQxc+LdcPeXsM8rw3LCnT0=',
  },
  url: 'https://gateway.example/paynet/api/v2/payout/4001',
  pairs: [
    ['client_orderid', 'né 7'],
    ['order_desc', 'a+b & c=d !*\'()~ %2B "q"'],
    ['empty', ''],
    ['c@', '2'],
    ['c2', '1'],
    ['oauth_consumer_key', 'shop'],
    ['oauth_nonce', 'n+1/='],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', '1700000000'],
    ['oauth_version', '1.0'],
  ],
  baseString: [
    'POST&https%3A%2F%2Fgateway.example%2Fpaynet%2Fapi%2Fv2%2Fpayout%2F4001&',
    'c%2540%3D2%26c2%3D1%26client_orderid%3Dn%25C3%25A9%25207%26empty%3D%26oauth_consumer_key%3Dshop%26',
    'oauth_nonce%3Dn%252B1%252F%253D%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D1700000000%26',
    'oauth_version%3D1.0%26',
    'order_desc%3Da%252Bb%2520%2526%2520c%253Dd%2520%2521%252A%2527%2528%2529~%2520%25252B%2520%2522q%2522',
  ],
  hmac: { encoded: 'KStFX3RkSKx04U1rJxwKRd3CeOw=', raw: 'eGrbJNcs2pnEhpQKUVUDoG5K8GY=' },
} as const;

/** The remarks a signer begins with, behind the comment mark of its language. */
export function moduleIntroduction(mark: string, needs: string, run: string): readonly string[] {
  return commented(mark, [
    'Signs requests for every operation of the gateway: the control checksum, OAuth 1.0a with HMAC-SHA1 (RFC 5849) and',
    'with RSA-SHA256. Nothing is sent: your own code must send exactly this address, these headers and this body.',
    `Needs ${needs}.`,
    '',
    `  ${run} --self-test`,
    `  ${run} --base-string OPERATION ENDPOINT_ID LOGIN [NONCE TIMESTAMP] <FIELDS`,
    `  CONTROL_KEY_FILE=control.key PRIVATE_KEY_FILE=private.pem ${run} --request OPERATION ENDPOINT_ID LOGIN <FIELDS`,
    '',
    'FIELDS has one name=value line per field, not encoded. --base-string prints the text that is signed (for a control,',
    'the text before the key), --request the whole request. This file contains no key.',
    '',
    'Write amounts with all fraction digits of their currency (10.50, not 10.5): a checksum covers them in minor units,',
    'which are these digits without the decimal point.',
  ]);
}
