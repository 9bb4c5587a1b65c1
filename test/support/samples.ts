import type { KindName } from '../../src/spec/kinds.js';

interface Samples {
  readonly good: readonly string[];
  /** Values that both sides refuse. */
  readonly bad: readonly string[];
}

const lines = ['a\nb', 'a\r\nb', 'a\u0000b', 'a\u0007', ' a', 'a '];
const phones = { good: ['+4930123456', '030 123-456'], bad: ['12345', 'phone', '+49 30 123456789012'] };

/** Values of each kind, and values that are none. */
export const samples: Readonly<Record<KindName, Samples>> = {
  text: { good: ['Order 17', "O'Neill-Öz", 'é ß 漢字 😀', "a+b&c=d!*'()~%"], bad: lines },
  opaque: { good: ['Order 17', "O'Neill-Öz", 'é ß 漢字 😀', "a+b&c=d!*'()~%"], bad: lines },
  personText: { good: ['Jane Doe', "O'Neill-Öz"], bad: lines },
  accountText: { good: ['DE89370400440532013000', 'W-17'], bad: lines },
  clientOrderId: {
    good: ['902B4FF5', 'order 17/a', 'né-1', 'Fête ©™ 5'],
    bad: ['a\nb', ' 17', '17 ', 'a\u200bb', '17\u0000', '17\u200b', '17😀', '17©\ufe0f', 'a\ufffdb', 'x'.repeat(129)],
  },
  gatewayId: {
    good: ['1', '9223372036854775807', 'PAYNET-112233', 'ref_9-a'],
    bad: ['1.0', 'a b', '12/3', 'ä', '１２', '1'.repeat(129)],
  },
  login: { good: ['shop_1'], bad: ['a b', 'ä', 'x'.repeat(21)] },
  amount: {
    good: ['10.42', '1', '0.01'],
    bad: ['1e3', '-1', '.5', '5.', '1,000.00', ' 5', '0x10', '１０', '0', '0.00', '00012', '1234567890123'],
  },
  amountList: { good: ['10.00,5.00'], bad: ['10;5', '10,,5', '10, 5', '1e3'] },
  currency: { good: ['USD', 'EUR', 'JPY', 'KWD'], bad: ['usd', 'XXZ', 'US', 'USDD', '840'] },
  country: { good: ['DE', 'US', 'CA'], bad: ['de', 'DEU', 'ZZ', '49'] },
  state: { good: ['CA', 'NSW'], bad: ['ca', 'California', 'C'] },
  zip: { good: ['10115', 'SW1A 1AA'], bad: ['12345678901', ' 1', '1\n', '1\u0000'] },
  email: {
    good: ['jane@example.com', 'j+x@sub.example.org'],
    bad: ['jane', 'jane@', '@example.com', 'a b@example.com', 'a@b@c.de'],
  },
  phone: phones,
  accountPhone: phones,
  ip: { good: ['192.0.2.1', '2001:db8::1'], bad: ['256.1.1.1', '1.2.3', 'localhost', '::g'] },
  url: {
    good: ['https://shop.example/return?x=1', 'http://127.0.0.1:8080/'],
    bad: ['shop.example', 'ftp://shop.example/', 'javascript:alert(1)', 'https://', 'https://user:pass@shop.example/'],
  },
  cardNumber: {
    good: ['4444333322221111', '5555555555554444'],
    bad: [
      '4444 3333 2222 1111',
      '4444333322221112',
      '4.11111E+15',
      '４４４４333322221111',
      '1'.repeat(20),
      '0'.repeat(16),
    ],
  },
  cvv: { good: ['123', '1234'], bad: ['12', '12345', '12a'] },
  month: { good: ['1', '01', '12'], bad: ['0', '13', '1.0', 'Jan'] },
  year: { good: ['2030'], bad: ['30', '1999', '20300', '2O30'] },
  boolean: { good: ['true', 'false'], bad: ['yes', '1', 'TRUE'] },
  choice: { good: [], bad: ['other'] },
  date: { good: ['2030-01-31', '2028-02-29'], bad: ['2030-02-30', '31.01.2030', '2030-1-1'] },
  birthday: { good: ['19900131'], bad: ['19900231', '1990-01-31', '900131'] },
  interval: { good: ['1', '12'], bad: ['0', '-1', '1.5', '1000'] },
  digits: { good: ['1234'], bad: ['12a', '1 2', '-1'] },
  signedInteger: { good: ['-60', '0'], bad: ['1.5', 'UTC', '--1'] },
  uuid: { good: ['8a880dc0-d2d2-4067-bcb1-b08d1690b26e'], bad: ['8a880dc0', '8a880dc0d2d24067bcb1b08d1690b26e'] },
  serial: { good: ['00000000-0000-0000-0000-0000015b2f9a'], bad: ['abc', 'not a serial'] },
  base64: { good: ['eyJhIjoxfQ==', 'eyJhIjoxfQ'], bad: ['a b', '{"a":1}', 'é', 'A'] },
  language: { good: ['en', 'en-GB'], bad: ['e', 'en_GB', 'english language'] },
};
