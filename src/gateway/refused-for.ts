import { replyField } from '../spec/index.js';
import { type Classified, saysUnknownOrder } from './classify.js';

/** What a refusal is about. `unsaid`: the gateway gave neither words nor a status that tells. */
export type RefusedFor = 'signature' | 'order' | 'endpoint' | 'used-id' | 'other' | 'unsaid';

// Not so control characters, a terminal's remote control, a right that has expired, and a cardholder who is authenticated elsewhere.
const saysSignature = new RegExp(
  [
    String.raw`control[ _-]?(?:code|value|key|sum|field|parameter)|\b(?:invalid|wrong|bad|missing|incorrect) control\b(?! characters?)|\bcontrol (?:is|was|does|mismatch)`,
    String.raw`signature|\boauth|\blog-?in\b|credential|consumer[ _]key|nonce|checksum|authori[sz]ation[ _]header`,
    String.raw`(?<!cardholder |payer |customer )\b(?:not |un)authori[sz]ed\b(?! transaction| payment)|access (?:is )?denied|permission|\brights\b|forbidden`,
  ].join('|'),
  'i',
);
const saysEndpoint =
  /\bend[ _-]?point\b.*\b(?:not found|unknown|invalid|does(?: not|n't) exist)\b|\b(?:no such|unknown|invalid|wrong) end[ _-]?point\b/i;
const saysUsed = /(?=.*(?:client_?order|merchant_?order|order[ _]?id))(?:.*\b(?:used|duplicate|already exists|not unique)\b)/is;

/**
 * What a refusal is about, by the gateway's words, else by its HTTP status: 401 and 403 speak of who asks, 404 of
 * the address. Its codes are not published, so no number means anything here; one in words is read with the message.
 */
export function refusedFor({ status, fields }: Pick<Classified, 'status' | 'fields'>): RefusedFor {
  const words = fields === undefined ? '' : `${replyField(fields, 'errorMessage') ?? ''} ${replyField(fields, 'errorCode') ?? ''}`.trim();
  if (saysUnknownOrder(words)) return 'order';
  if (saysSignature.test(words)) return 'signature';
  if (saysEndpoint.test(words)) return 'endpoint';
  if (saysUsed.test(words)) return 'used-id';
  if (status === 401 || status === 403) return 'signature';
  if (status === 404) return 'endpoint';
  return /[a-z]/i.test(words) ? 'other' : 'unsaid';
}
