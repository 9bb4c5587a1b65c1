/** A text, and what it says with escapes of URLs and of JSON taken off, also where they stand one inside the other. */
export function readings(text: string): readonly string[] {
  const all = [text];
  for (let at = 0; at < 3; at += 1) {
    const once = unescaped(all[at] ?? '');
    if (once === all[at]) break;
    all.push(once);
  }
  return all;
}

function unescaped(text: string): string {
  return text
    .replace(/(?:%[\da-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
    .replace(/\\u([\da-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\(["\\/])/g, '$1');
}

const shortest = 6;

/** Whether a secret stands in a text: as it is, in hexadecimal digits or in Base64 at any place. */
export function isInside(secret: string, text: string): boolean {
  const plain = text.toLowerCase();
  const wanted = secret.toLowerCase();
  if (secret.length < shortest) return isWord(wanted, plain);
  const bytes = Buffer.from(secret, 'utf8');
  return plain.includes(wanted) || plain.includes(bytes.toString('hex')) || insidesOfBase64(bytes).some((part) => text.includes(part));
}

/** A few letters stand inside other words by chance. */
function isWord(secret: string, text: string): boolean {
  const quoted = secret.replace(/[^\p{L}\p{N}]/gu, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${quoted}(?![\\p{L}\\p{N}])`, 'u').test(text);
}

/** What Base64 makes of these bytes, whatever stands before and behind them: three ways, each with two alphabets. */
function insidesOfBase64(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const first = Math.ceil((shift * 8) / 6);
    const last = Math.floor(((shift + bytes.length) * 8) / 6);
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
    return [padded.toString('base64').slice(first, last), padded.toString('base64url').slice(first, last)];
  });
}
