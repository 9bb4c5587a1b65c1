/** The parts of a hosted page that a program needs. Only sandbox pages are read, whose markup is known. */
interface PageForm {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
  /** Names of the controls a customer would fill in. */
  readonly controls: readonly string[];
}

/** The first form of a page; undefined when it has none. `base` is the address of the page. */
export function formIn(html: string, base: string): PageForm | undefined {
  const [, attributes, inner = ''] = /<form([^>]*)>([\s\S]*?)<\/form>/.exec(html) ?? [];
  if (attributes === undefined) return undefined;
  const action = unescaped(/\saction="([^"]*)"/.exec(attributes)?.[1] ?? '');
  const hidden = [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const controls = [...inner.matchAll(/<input type="(?:text|radio)"[^>]*\sname="([^"]*)"/g)];
  return {
    action: new URL(action, base).href,
    hidden: Object.fromEntries(hidden.map(([, name = '', value = '']) => [unescaped(name), unescaped(value)])),
    controls: [...new Set(controls.map(([, name = '']) => name))],
  };
}

/** The text of the first element of a class, without markup. */
export function textIn(html: string, className: string): string | undefined {
  const found = new RegExp(`class="(?:[^"]* )?${className}(?: [^"]*)?"[^>]*>([\\s\\S]*?)</(?:strong|div|p|span)>`).exec(
    html,
  )?.[1];
  return found === undefined ? undefined : plainText(found);
}

/**
 * The 3-D Secure message that a bank's page shows when the merchant has no return address, by field name; empty on
 * other pages.
 */
export function answerIn(html: string): Readonly<Record<string, string>> {
  const [, name, value = ''] = /<code id="answer" data-field="([^"]*)">([^<]*)<\/code>/.exec(html) ?? [];
  return name === undefined ? {} : { [name]: plainText(value) };
}

const maxMessageCharacters = 300;

/** The heading of a page and the text under it. */
export function messageIn(html: string): string {
  return plainText(/<main>([\s\S]*?)<\/main>/.exec(html)?.[1] ?? '').slice(0, maxMessageCharacters);
}

/** The notice on a page about the order. */
export function noticeIn(html: string): string | undefined {
  const found = /role="(?:status|alert)"[^>]*>([\s\S]*?)<\/div>/.exec(html)?.[1];
  return found === undefined ? undefined : plainText(found);
}

/** The mistakes that the page asks the customer to correct. */
export function errorsIn(html: string): readonly string[] {
  const list = /id="summary"[^>]*>([\s\S]*?)<\/div>/.exec(html)?.[1] ?? '';
  return [...list.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, item = '']) => plainText(item));
}

/** The address of the frame in a page. */
export function frameIn(html: string): string | undefined {
  const address = /<iframe[^>]*\ssrc="([^"]*)"/.exec(html)?.[1];
  return address === undefined ? undefined : unescaped(address);
}

function plainText(html: string): string {
  return unescaped(html.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

const htmlEntities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

function unescaped(text: string): string {
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => htmlEntities[name] ?? '');
}
