import { exitCodes } from '../../errors/index.js';
import { assumptions } from '../../spec/index.js';
import { columns } from '../present/columns.js';

export const environment: readonly (readonly [name: string, meaning: string])[] = [
  ['PAYCLI_PROFILE', 'the profile to use, as --profile'],
  ['PAYCLI_CLASS', 'test for a base address that is not on this machine; live otherwise'],
  ['PAYCLI_BASE_URL', 'gateway base address, path prefix included'],
  ['PAYCLI_LOGIN', 'merchant login'],
  ['PAYCLI_ENDPOINT_ID', 'endpoint, or endpoint group'],
  ['PAYCLI_CONTROL_KEY_FILE', 'file with the merchant control key, mode 0600; never the key itself'],
  ['PAYCLI_PRIVATE_KEY_FILE', 'file with the RSA private key, mode 0600; never the key itself'],
  ['PAYCLI_CONFIG_DIR', 'folder of the user configuration'],
  ['PAYCLI_STATE_DIR', 'folder of state and sandbox data'],
  ['PAYCLI_SANDBOX', 'the sandbox to use, as --name of the sandbox commands (default)'],
  ['PAYCLI_CALLBACK_URL', 'set for a command that `callback listen --run` starts: where callbacks are taken'],
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
A flag goes before a variable, a variable before the project file, that before the user file;
\`paycli config explain\` shows each value, where it comes from and what it hides.
`,
  secrets: () => `Secrets

A key or passphrase is read from one source. If that fails the command ends with exit 3; no other is tried.
The strongest first, for control-key, private-key and passphrase alike:

  --control-key-file FILE        a file of your own, mode 0600; - is standard input
  --control-key-fd 3             an open descriptor, as in 3</run/secrets/key
  PAYCLI_CONTROL_KEY_FILE        a variable that names such a file (no such variable for the passphrase)
  in the profile, one of
    control-key-file: FILE       as above; relative to the configuration file
    control-key-fd: 3            an open descriptor
    control-key-env: NAME        another variable that names a file
    control-key-keyring: ENTRY   the key store of the system, service paycli; 3 seconds to answer
    control-key-helper: [program, argument]
                                 what that program prints, in the user file only; no shell, 10 seconds to end

\`paycli profile add NAME\` asks for the key and stores it in a file, or with --store keyring in the key store
(package @napi-rs/keyring). \`paycli whoami\` shows fingerprints and sources, --verbose the source that was used.
`,
  profiles: () => `Profiles

A profile says where to send and as whom. \`paycli profile add NAME\` writes one; profile list, show, use and
remove do the rest. It lives in config.yaml (or config.json) of the user folder:

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
      max-amount: 500.00 EUR                     # largest payment; a list for several currencies
      max-total-per-day: [2000.00 EUR, 1000.00 USD]
      assume: { control-encoding: hex-lower }
      defaults: { order-desc: Test order }

Keys never stand in a configuration file or on a command line; see \`paycli help secrets\`.
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
  'money-safety': () => `Money safety

Before a request leaves, the journal has it on the disk: which operation, gateway, order and amount, never a card
number, security code, key or checksum. What became of it is written down as it is learned.

The same command again
  planned, not sent, refused      sends: nothing of it was done
  sending, unknown, accepted      asks the gateway what became of it, and never sends
  done, declined                  shows the known outcome
  with other content              exit 2; after a refusal, corrected content is a new attempt
Follow-ups (capture, return, …)   one at a time on an order; --again sends an equal one once more on purpose

Exit 8: the outcome is unknown
  paycli resolve ORDER            asks at 0, 2, 5, 15, 60 and 300 seconds; paycli resolve --all for everything open
  paycli resolve ORDER --settle-as paid|not-paid --evidence TEXT
                                  writes down what a statement or the gateway's support says
  paycli resolve ORDER --resend --approved-by NAME
                                  once the gateway has said three times over an hour that it knows no such order,
                                  and a second person agrees, the very same command may be sent once more

Live
  --live                          on every command of a live profile; no other profile takes it
  the merchant login              typed before money moves, once amount, order and place were repeated;
                                  --confirm-login LOGIN in scripts
  paycli live unlock --for 15m --ops return,void --max "500.00 EUR" --live
                                  a lease: for so long, these commands, up to this sum, go without the typed login
  paycli live status | lock       what stands and what is left; the end of all of it

Caps  max-amount and max-total-per-day of a profile, whatever its class. A day is one of UTC; what was refused or never
      sent does not count. A currency that a cap does not name is refused.

See it  paycli journal list | show ORDER | export | verify
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
