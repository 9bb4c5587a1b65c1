import { replyField } from '../spec/index.js';
import { printable } from '../wire/redact.js';
import { type Classified, isOrderUnknown, saysUnknownOrder } from './classify.js';

/** The facts of a failed answer: in one text for the error message, and one by one for programs. */
export interface FailureFacts {
  /** The gateway's message, else the reason of paycli, with the facts after it. On one line. */
  readonly why: string;
  readonly httpStatus?: number | undefined;
  readonly gatewayMessage?: string | undefined;
  readonly gatewayCode?: string | undefined;
  readonly serialNumber?: string | undefined;
  /** What to check, where something other than the gateway seems to have answered, or has the wrong certificate. */
  readonly check?: string | undefined;
}

/** The message, code and serial number of an error record, with the HTTP status it came under. */
export function failureFacts({ status, fields, reason, remedy }: Classified): FailureFacts {
  const [message, code, serial] = (['errorMessage', 'errorCode', 'serial'] as const).map((name) => {
    const text = fields && replyField(fields, name);
    return text && printable(text).replaceAll('\n', ' ');
  });
  const details = [
    message && status && `HTTP ${status}`,
    code && `error code ${code}`,
    serial && `serial number ${serial}`,
  ].filter(Boolean);
  return {
    why: `${message ?? reason}${details.length === 0 ? '' : ` (${details.join(', ')})`}`,
    httpStatus: status,
    gatewayMessage: message,
    gatewayCode: code,
    serialNumber: serial,
    check: remedy ?? (fields === undefined || fields.size === 0 ? strangerCheck(status) : undefined),
  };
}

export const allowListAdvice = 'ask gateway support whether the IP address of this machine is on its allow-list';

/** By the HTTP status of a reply that is no record of the interface. */
function strangerCheck(status: number | undefined): string | undefined {
  if (status === 401 || status === 403)
    return `a proxy or firewall may have answered (--verbose shows its words): ${allowListAdvice}, and run \`paycli doctor --online\``;
  if (status !== undefined && status < 500 && !passing.includes(status))
    return 'this may not be the gateway: check base-url with `paycli doctor --online`';
  return undefined;
}

/**
 * True for a failed answer that waiting does not change: the merchant, its signature or the endpoint is refused, or
 * something other than the gateway answers with a page of 3xx or 4xx, or the certificate is not accepted. An order that
 * the gateway does not have may still arrive there.
 */
export function isLastingFailure(classified: Classified): boolean {
  const { class: kind, status = 0, fields, isOfAnother } = classified;
  if (kind === 'certificate') return true;
  if (kind === 'refused') return ['signature', 'endpoint'].includes(refusalCause(classified));
  const isPage = kind === 'read-retry' && fields === undefined && isOfAnother !== true;
  return isPage && status >= 300 && status < 500 && !passing.includes(status);
}

// Request timeout, too early, too many requests.
const passing: readonly number[] = [408, 425, 429];

/** Why a status query gave no status of the order, in words. */
export function unansweredWords(classified: Classified): string {
  if (isOrderUnknown(classified)) return `the gateway has no such order (${classified.reason})`;
  return `the status query failed: ${failureFacts(classified).why}`;
}

/** `unsaid`: neither the message nor the HTTP status says. */
export type RefusedFor = 'signature' | 'order' | 'endpoint' | 'used-id' | 'other' | 'unsaid';

const hash = String.raw`(?<!card |destination )\b(?:digest|hash|hmac|sha ?(?:1|256))\b(?! id)`;

const unauthorized = String.raw`\b(?:not |un)authori[sz]ed\b`;
const sender = String.raw`\b(?:you|merchant|request|message|login|shop)`;

// Not meant: control characters, a terminal's remote control, and the hash of a card.
const saysSigned = anyOf(
  String.raw`control ?(?:code|value|key|sum|field|parameter)|\bmerchant ?control\b`,
  String.raw`\b(?:invalid|wrong|bad|missing|incorrect)(?: the| your)? control\b(?! characters?)`,
  String.raw`\bcontrol (?:is|was|does|mismatch)`,
  String.raw`\boauth|consumer ?key|\bnonce|authori[sz]ation header`,
  String.raw`${hash}.*\b(?:match|mismatch|differ|invalid|wrong|bad|incorrect|missing|not valid|not verified)`,
  String.raw`\b(?:invalid|wrong|bad|missing|incorrect)(?: the| your| request)? ${hash}`,
  String.raw`${sender}(?: is| was| are| were| could| can)?(?: not |n't | un)(?:be )?auth(?:enticat|ori[sz])ed\b`,
  String.raw`\b(?:merchant|request|message|shop) authentication\b`,
  String.raw`\bunauthenticated request\b|^(?:not |un)authenticated[\W\d]*$`,
);
// Excluded are the same words about something else: an expired right, a page, a stored credential, an issue of shares.
const saysWho = anyOf(
  String.raw`signature|\blog ?in\b(?! ?(?:page|form|screen|link|url|session))`,
  String.raw`(?<!stored )credentials?\b(?! on file)|(?<!card |number )checksum`,
  `(?<!(?:card|transaction|payment|operation|amount) )${unauthorized}(?! (?:transaction|payment|use|card))`,
  'access (?:is )?denied|permission|(?<!card |transaction |payment )(?<!(?:card|transaction|payment) is )forbidden',
  String.raw`\b(?:no|any|access|user|merchant|have|has|lacks?)(?: the| such)? rights\b`,
  String.raw`\b(?:enough|sufficient|insufficient|missing|necessary|required)(?: the| such)? rights\b`,
  String.raw`\brights (?:to|for|are|were|missing|denied|violat)`,
);
const saysPayer = /\b(?:issuers?|issuing|acs|banks?|card ?holders?|payers?|customers?|3 ?d ?s?2?|pa ?res|c ?res)\b/i;

function anyOf(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join('|'), 'i');
}

/** In names of fields and codes, `_` and `-` count as blanks. */
function saysSignature(words: string): boolean {
  const plain = words.replaceAll(/[_-]/g, ' ');
  return saysSigned.test(plain) || (saysWho.test(plain) && !saysPayer.test(plain));
}

const saysEndpoint = anyOf(
  String.raw`\bend[ _-]?point\b.*\b(?:not found|unknown|invalid|does(?: not|n't) exist)\b`,
  String.raw`\b(?:no such|unknown|invalid|wrong) end[ _-]?point\b`,
);
const orderId = '(?:client_?order|merchant_?order|order[ _]?id)';
// In a message of several lines as well.
const saysUsed = anyOf(
  String.raw`^(?=[^]*${orderId})[^]*\b(?:used|duplicate|already exists|taken|unique)\b`,
  String.raw`\bduplicate (?:order|transaction)\b`,
  String.raw`\border\b[^]*\balready (?:exists|registered)\b|\borders?\b[^]*\bsame id\b`,
);

/**
 * What a refusal is about, by the gateway's message, else by its HTTP status: 401 and 403 are about the merchant, 404
 * about the address. Its error codes are not published, so numbers are ignored; a code in words is read as well.
 */
export function refusalCause({ status, fields }: Pick<Classified, 'status' | 'fields'>): RefusedFor {
  const said = (name: 'errorMessage' | 'errorCode') => (fields && replyField(fields, name)) ?? '';
  const words = `${said('errorMessage')} ${said('errorCode')}`.trim();
  if (saysUnknownOrder(words)) return 'order';
  // Before the others: such a message may name the login or the endpoint as well.
  if (saysUsed.test(words)) return 'used-id';
  if (saysSignature(words)) return 'signature';
  if (saysEndpoint.test(words)) return 'endpoint';
  if (status === 401 || status === 403) return 'signature';
  if (status === 404) return 'endpoint';
  return /[a-z]/i.test(words) ? 'other' : 'unsaid';
}
