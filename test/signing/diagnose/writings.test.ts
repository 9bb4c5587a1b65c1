import { expect, test } from 'vitest';
import { base85, digitsOf85, quotedByPython, uuencoded } from '../../../src/signing/diagnose/writings/base-digits.js';
import { mapWritings } from '../../../src/signing/diagnose/writings/lists.js';
import { lostLetters } from '../../../src/signing/diagnose/writings/lost-letters.js';
import { pythonBytes } from '../../../src/signing/diagnose/writings/printed-bytes.js';

// Expected texts as Python 3 and PHP 8 printed them.

const bytes = Buffer.from(Array.from({ length: 20 }, (_, at) => 236 + at));
const marks = Buffer.from([0, 9, 10, 13, 32, 39, 61, 92, 127, 128, 255, 32]);

test.each([
  [base85(bytes, digitsOf85.rfc1924), '?CtLF@bU8V^!4`l`1$(#{Qds_'],
  [base85(bytes), 'm-X60nF?)@o_%qPq"ad`r;HWp'],
  [uuencoded(bytes, ' '), '4[.WN[_#Q\\O/T]?;W^/GZ^_S]_O\\ \n'],
  [quotedByPython(marks), "=00=09\n\r '=3D\\=7F=80=FF=20"],
  [pythonBytes(marks), 'b"\\x00\\t\\n\\r \'=\\\\\\x7f\\x80\\xff "'],
])('bytes as text %#', (written, expected) => {
  expect(written).toBe(expected);
});

test.each(['Zo\\xeb \\u0141 \\u20ac \\U0001f600', 'Zo&#235; &#321; &#8364; &#128512;'])(
  'letters beyond ASCII as %s',
  (expected) => {
    expect(lostLetters.map(({ write }) => write('Zoë Ł € 😀'))).toContain(expected);
  },
);

test('letters beyond ASCII by their names', () => {
  expect(lostLetters.map(({ write }) => write('Zoë Ł € Šß'))).toContain(
    'Zo\\N{LATIN SMALL LETTER E WITH DIAERESIS} \\N{LATIN CAPITAL LETTER L WITH STROKE} \\N{EURO SIGN} \\N{LATIN CAPITAL LETTER S WITH CARON}\\N{LATIN SMALL LETTER SHARP S}',
  );
});

test.each([
  ["PHP's serialize", 'a:2:{s:8:"endpoint";s:4:"4001";s:5:"email";s:8:"Zo\u00eb/\'x\'";}'],
  ["PHP's print_r", "Array\n(\n    [endpoint] => 4001\n    [email] => Zo\u00eb/'x'\n)\n"],
  ["PHP's var_export", "array (\n  'endpoint' => '4001',\n  'email' => 'Zo\u00eb/\\'x\\'',\n)"],
  [
    "PHP's var_dump",
    'array(2) {\n  ["endpoint"]=>\n  string(4) "4001"\n  ["email"]=>\n  string(8) "Zo\u00eb/\'x\'"\n}\n',
  ],
  ["PHP's JSON", '{"endpoint":"4001","email":"Zo\\u00eb\\/\'x\'"}'],
  ["PHP's JSON, indented", '{\n    "endpoint": "4001",\n    "email": "Zo\\u00eb\\/\'x\'"\n}'],
  ["PHP's JSON, with numbers", '{"endpoint":4001,"email":"Zo\\u00eb\\/\'x\'"}'],
  ['a PHP form', 'endpoint=4001&email=Zo%C3%AB%2F%27x%27'],
])('a map by %s', (_, expected) => {
  const pairs = [
    ['endpoint', '4001'],
    ['email', "Zoë/'x'"],
  ] as const;
  expect(mapWritings.map(({ print }) => print(pairs))).toContain(expected);
});
