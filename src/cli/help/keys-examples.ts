/** Examples of the `keys` commands, without the word `paycli`; each follows on those before it. A test runs them in this order. */
export const keysExamples = {
  generate: ['keys generate --bits 2048 --out test-rsa.pem'],
  inspect: ['keys inspect test-rsa.pem', 'keys inspect test-rsa.pub.pem --public --json'],
  convert: ['keys convert test-rsa.pem --to pkcs1 --out test-rsa.pkcs1.pem', 'keys convert test-rsa.pem --to spki --out for-support.pem'],
  'check-pair': ['keys check-pair test-rsa.pem test-rsa.pub.pem'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
