/** Bytes in the digits of a base, and as mail has them. */

const alphanumerics = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function base32(bytes: Buffer, digits: string): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => digits[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** Of RFC 1924, as b85encode of Python and Git have it, and of ZeroMQ. */
export const digitsOf85 = {
  ascii85: String.fromCharCode(...Array.from({ length: 85 }, (_, at) => 33 + at)),
  rfc1924: `${alphanumerics}!#$%&()*+-;<=>?@^_\`{|}~`,
  z85: '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#',
};

/** Each four bytes as five digits to the base of 85; only Ascii85 has a letter for four zeros. */
export function base85(bytes: Buffer, digits: string = digitsOf85.ascii85): string {
  let out = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const some = Buffer.alloc(4);
    const count = bytes.copy(some, 0, at);
    let number = some.readUInt32BE();
    const isZero = number === 0 && digits === digitsOf85.ascii85;
    const five = Array.from({ length: 5 }, () => {
      const digit = digits.charAt(number % 85);
      number = Math.floor(number / 85);
      return digit;
    }).reverse();
    out += count === 4 && isZero ? 'z' : five.slice(0, count + 1).join('');
  }
  return out;
}

/** A whole number in these digits; each zero byte at the beginning is a first digit. */
export function inBase(bytes: Buffer, digits: string): string {
  let number = BigInt(`0x${bytes.toString('hex') || '0'}`);
  const base = BigInt(digits.length);
  let out = '';
  while (number > 0n) {
    out = digits.charAt(Number(number % base)) + out;
    number /= base;
  }
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return digits.charAt(0).repeat(Math.max(0, zeros)) + out;
}

export const digitsOf58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
export const digitsOf62 = alphanumerics;

const base64Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Base64 in other digits than its own, without padding. */
export function base64In(bytes: Buffer, digits: string): string {
  return bytes
    .toString('base64')
    .replace(/=+$/, '')
    .replace(/./g, (digit) => digits.charAt(base64Digits.indexOf(digit)));
}

/** Of crypt, of bcrypt and of the names of mailboxes. */
export const otherBase64Digits: readonly string[] = [
  `./${alphanumerics}`,
  `./${base64Digits.slice(0, 62)}`,
  `${base64Digits.slice(0, 62)}+,`,
  `${alphanumerics}-_`,
];

/** Lines of 45 bytes, each with its length, with a blank or a grave accent for zero. */
export function uuencoded(bytes: Buffer, zero: ' ' | '`' = '`'): string {
  const digit = (six: number) => (six === 0 ? zero : String.fromCharCode(32 + six));
  let out = '';
  for (let at = 0; at < bytes.length; at += 45) {
    const line = bytes.subarray(at, at + 45);
    out += digit(line.length);
    for (let from = 0; from < line.length; from += 3) {
      const [one = 0, two = 0, three = 0] = line.subarray(from, from + 3);
      out += [one >> 2, ((one & 3) << 4) | (two >> 4), ((two & 15) << 2) | (three >> 6), three & 63]
        .map(digit)
        .join('');
    }
    out += '\n';
  }
  return out;
}

/** RFC 2045 6.7 without its soft line breaks; these marks stay beside the printable ones. */
export function quotedPrintable(bytes: Uint8Array, kept = ''): string {
  return Array.from(bytes, (byte) => {
    const char = String.fromCharCode(byte);
    return /[ -<>-~]/.test(char) || kept.includes(char) ? char : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

/** As b2a_qp of Python, which keeps blanks but at the end of a line. */
export function quotedByPython(bytes: Uint8Array): string {
  return quotedPrintable(bytes, '\t\n\r').replace(/[ \t](?=\n|$)/g, (blank) => (blank === ' ' ? '=20' : '=09'));
}
