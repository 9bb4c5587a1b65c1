import { outputFormats } from '../../config/settings.js';

/** Every variable that belongs to paycli. */
export const environment: readonly (readonly [name: string, meaning: string])[] = [
  ['PAYCLI_PROFILE', 'the profile to use, like --profile'],
  ['PAYCLI_CLASS', 'test for a test gateway that is not on this machine; without it, such an address counts as live'],
  ['PAYCLI_BASE_URL', 'base address of the gateway, including any path prefix'],
  ['PAYCLI_LOGIN', 'merchant login'],
  ['PAYCLI_ENDPOINT_ID', 'endpoint, or endpoint group'],
  [
    'PAYCLI_ASK_FIRST',
    'off: pay without asking the gateway first whether it has the order, like ask-first of a profile',
  ],
  ['PAYCLI_CONTROL_KEY_FILE', 'file with the merchant control key, mode 0600; never the key itself'],
  ['PAYCLI_PRIVATE_KEY_FILE', 'file with the RSA private key, mode 0600; never the key itself'],
  ['PAYCLI_PASSPHRASE_FILE', 'file with the passphrase of that key, mode 0600'],
  ['PAYCLI_CONFIG_DIR', 'folder of the user configuration'],
  ['PAYCLI_STATE_DIR', 'folder of state and sandbox data'],
  ['PAYCLI_SANDBOX', 'the name of the sandbox to use (default)'],
  ['PAYCLI_CALLBACK_URL', 'set for commands run by `certify`: the address that receives callbacks'],
  ['PAYCLI_OUTPUT', `output format, like --output: ${outputFormats.join(', ')}`],
  ['PAYCLI_NO_INPUT', 'never prompt'],
  ['PAYCLI_TIMEOUT', 'longest wait for the first byte of a reply, such as 30s or 2m; a plain number is seconds'],
];

/** Variables of other tools that paycli respects. */
export const foreignEnvironment: readonly (readonly [name: string, meaning: string])[] = [
  ['NO_COLOR', 'any value: no colour'],
  ['FORCE_COLOR', 'any value but 0: colour even without a terminal'],
  ['TERM', 'dumb: no colour and no progress line'],
  ['HTTPS_PROXY', 'proxy for https addresses, with CONNECT; never for http or local addresses'],
  ['NO_PROXY', 'hosts reached without the proxy, separated by commas'],
  ['XDG_CONFIG_HOME', "parent of paycli's configuration folder (default ~/.config)"],
  ['XDG_STATE_HOME', "parent of paycli's journal folder (default ~/.local/state)"],
  ['XDG_DATA_HOME', "parent of paycli's sandbox folder (default ~/.local/share)"],
  ['NODE_TLS_REJECT_UNAUTHORIZED', '0 is refused with exit 3: certificates are always checked'],
];
