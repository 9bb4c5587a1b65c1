/**
 * The one form of every masked value, on the screen, in files, in JSON and on pages. A key, a security code, a token, a
 * password and a signature are `•••`, however long they are. Of a card or an account the last four characters stay.
 */
export const hidden = '•••';

const hiddenStart = '••••';

/** Of a card number its last four digits, which PCI DSS lets anybody see; no card has more than 19 digits. */
export function maskCard(number: string): string {
  return number.length < 12 || number.length > 19 ? hiddenStart : maskedEnding(number.slice(-4));
}

/** The same where only the last four digits are known. */
export function maskedEnding(lastFour: string): string {
  return `${hiddenStart} ${lastFour}`;
}

/** Of an account, a phone or a wallet its last four characters, unless they are half of it. */
export function maskStart(text: string): string {
  const chars = [...text.slice(-8)];
  return text.length < 8 ? hiddenStart : maskedEnding(chars.slice(-4).join(''));
}

// The last two are of gateways.
const masks = [
  String.raw`\u2022{3,4}(?:[ +]?[\da-z]{4})?`,
  String.raw`(?:\*|%(?:25)*2A){3,}\d{0,4}`,
  String.raw`\d{6}[*\u2022]{4,}\d{4}`,
];
const mask = new RegExp(`^(?:${masks.join('|')})$`, 'i');

/** True for a value that paycli or a gateway shows in place of the real one. */
export function isMask(value: string): boolean {
  return mask.test(value);
}

/** True also for a text with such a mask among its words. */
export function holdsMask(text: string): boolean {
  return text.includes(hidden) || isMask(text);
}
