import { exitCodes } from '../../errors/index.js';
import { assumptions } from '../../spec/index.js';
import { columns } from '../present/columns.js';

export const environment: readonly (readonly [name: string, meaning: string])[] = [
  ['PAYCLI_PROFILE', 'the profile to use, as --profile'],
  ['PAYCLI_CLASS', 'test for a base address that is not on this machine; live otherwise'],
  ['PAYCLI_BASE_URL', 'gateway base address, path prefix included'],
  ['PAYCLI_LOGIN', 'merchant login'],
  ['PAYCLI_ENDPOINT_ID', 'endpoint, or endpoint group'],
  ['PAYCLI_CONTROL_KEY_FILE', 'file with the merchant control key'],
  ['PAYCLI_PRIVATE_KEY_FILE', 'file with the RSA private key'],
  ['PAYCLI_CONFIG_DIR', 'folder of the user configuration'],
  ['PAYCLI_STATE_DIR', 'folder of state and sandbox data'],
  ['PAYCLI_SANDBOX', 'the sandbox to use, as --name of the sandbox commands (default)'],
  ['PAYCLI_OUTPUT', 'text or json'],
  ['PAYCLI_NO_INPUT', 'never ask'],
  ['PAYCLI_TIMEOUT', 'longest wait for the first byte of a reply, in seconds'],
];

const topics: Readonly<Record<string, () => string>> = {
  'exit-codes': () =>
    `Exit codes\n\n${columns([['exit', 'meaning', 'sent?', 'repeat as it is?'], ...exitCodes.map((row) => [String(row.exit), row.meaning, row.sent, row.repeat])])}`,
  environment: () =>
    `Environment\n\n${columns(environment.map((row) => [...row]))}
Base address, login, endpoint id and control key file together are a complete profile:
class test on this machine, live elsewhere unless PAYCLI_CLASS=test.
`,
  profiles: () => `Profiles

A profile says where to send and as whom. It lives in config.yaml (or config.json) of the user folder:

  default-profile: shop-test
  profiles:
    shop-test:
      class: test                    # sandbox, test or live
      base-url: https://sandbox.gateway.example/prefix
      login: my-shop
      endpoint-id: 4001
      endpoints: { EUR: 4002, payout: 5001 }
      control-key-file: ~/keys/test-control      # mode 0600
      private-key-file: ~/keys/test-rsa.pem      # for the RSA-SHA256 operations
      redirect-url: https://shop.example/return
      assume: { control-encoding: hex-lower }
      defaults: { order-desc: Test order }

Keys never stand in a configuration file or on a command line, only in files of their own.
Without any profile the built-in sandbox answers. A live profile needs --live on every command.
`,
  signing: () => `Signing

Every operation is protected in one of two ways; \`paycli recipe OPERATION\` says which.

control       A field with the SHA-1 of listed values and the merchant control key, nothing between them.
              Amounts count in minor units: 10.42 USD is 1042, 100 JPY is 100.
OAuth 1.0a    An Authorization header over all fields (RFC 5849), by HMAC-SHA1 with the control key
              or by RSA-SHA256 with the private key.

See it        paycli sign OPERATION (the same flags) --explain
              shows every value with its origin, each stage, the exact text, its length and the digest.
Refused?      paycli sign verify --request-file FILE
              says whether the signature of a pasted curl command, HTTP request or JSON request is right.
              paycli sign find-mistake OPERATION (its flags) --control VALUE
              tries every known mistake and names those that give just this value.
              paycli sign diff OPERATION (its flags) --theirs-string FILE
              shows the first byte where the text another program signed differs, and names the mistake.
By hand       paycli sign raw and paycli sign control sign any address, fields or values.
              paycli sign diff and sign find-mistake take the flags of sign raw as well.

Card data is masked outside the sandbox profile. Keys are shown by a fingerprint only.
`,
  sandbox: () => `Sandbox

The gateway's other side, in the box. Without a profile every command talks to it, inside the same process;
\`paycli sandbox start\` serves the same orders over HTTP on 127.0.0.1 for clients in any language.

  paycli sandbox status          merchants, endpoints and keys
  paycli sandbox outcomes        test cards and what they lead to
  paycli sandbox outcomes next declined     the next order is declined
  paycli sandbox reset           forget all orders
`,
  assumptions: () =>
    `Assumptions\n\nWhat the interface description does not show, and what paycli does about it.\nA profile may set a switch: assume: { control-encoding: hex-upper }\n\n${columns(
      assumptions.map((a) => [a.id, a.switch, a.default, a.others.length === 0 ? '' : `or ${a.others.join(', ')}`]),
    )}\n\`paycli assumptions explain A07\` tells more.\n`,
  output: () => `Output

Results go to standard output, everything else to standard error.

  -o json, --json      one JSON document: schema, ok, operation, profile, order, result, meaning, next, exit
  --json=order.orderId,status     only these, by path or by the reply's own field name
  --quiet              no notes
  --color, --no-color  override NO_COLOR, FORCE_COLOR, CLICOLOR and the terminal
`,
};

/** The text of a help topic; undefined when there is none of that name. */
export function helpTopic(name: string): string | undefined {
  return topics[name]?.();
}

export const topicNames: readonly string[] = Object.keys(topics);
