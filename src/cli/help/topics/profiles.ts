import { lines, type Topic, text } from './block.js';

/** A user file that works as it stands, but for the names in it. */
export const exampleFile = [
  'default-profile: shop-test',
  'profiles:',
  '  shop-test:',
  '    class: test                    # sandbox, test or live',
  '    base-url: https://sandbox.gateway.example/prefix',
  '    login: my-shop',
  '    endpoint-id: 4001',
  '    endpoints: { EUR: 4002, payout: 5001 }',
  '    control-key-file: ~/keys/test-control      # mode 0600',
  '    private-key-file: ~/keys/test-rsa.pem      # for RSA-SHA256',
  '    redirect-url: https://shop.example/return',
  '    max-amount: 500.00 EUR                     # or a list',
  '    max-total-per-day: [2000.00 EUR, 1000.00 USD]',
  '    assume: { control-encoding: hex-lower }',
  '    defaults: { order-desc: Test order }',
];

export const profilesTopic: Topic = {
  brief: 'where to send and as whom',
  blocks: () => [
    text(
      'A profile says where to send and as whom. `paycli profile add NAME` writes one; profile list, show, use and remove do the rest. It lives in config.yaml (or config.json) of the user folder:',
    ),
    lines(...exampleFile),
    text('Keys never stand in a configuration file or on a command line; see `paycli help secrets`.'),
    text(
      'Without any profile the built-in sandbox answers, and standard error says so. A live profile needs --live on every command; see `paycli help live`.',
    ),
    text(
      'A project file (.paycli.yaml, looked for up to the root of the repository) may name the profile and set output, timeout and the defaults order-desc, purpose, site-url and merchant-data. All else in it counts only after `paycli config trust FILE`. A configuration file that another user owns or may write is refused; so is one in such a folder, for a project file up to the root of the repository.',
    ),
  ],
  last: 'Every key of these files, with its form and an example: `man 5 paycli-config`.',
};
