/**
 * Examples of the commands about profiles, without the word `paycli`; each follows on those before it. A test runs them in
 * this order, with a control key on standard input where one reads `-`.
 */
export const profileExamples = {
  'profile add': [
    'profile add shop-test --class test --base-url https://gate.example/prefix --login my-shop --endpoint-id 4001 --control-key-file control.key',
    'profile add shop-live --class live --base-url https://live.example --login my-shop --endpoint-id 4001 --control-key-file -',
    'profile add shop-test --replace --store keyring --class test --base-url https://gate.example --login my-shop --endpoint-id 4001 --control-key-file control.key',
  ],
  'profile list': ['profile list'],
  'profile show': ['profile show', 'profile show shop-live --json'],
  'profile use': ['profile use shop-test'],
  'config explain': ['config explain', 'config explain --profile shop-live --login other --json'],
  whoami: ['whoami', 'whoami --profile shop-live'],
  'profile remove': ['profile remove shop-live --yes'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
