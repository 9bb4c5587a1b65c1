import { replyField } from '../spec/index.js';
import { printable } from '../wire/redact.js';
import { type Classified, isOrderUnknown } from './classify.js';

/** What is known of an answer that was no success: for the text of an error, and by itself for programs. */
export interface FailureFacts {
  /** The gateway's own words with the facts behind them; the reason of paycli where it gave none. On one line. */
  readonly why: string;
  readonly httpStatus?: number;
  readonly gatewayMessage?: string;
  readonly gatewayCode?: string;
  readonly serialNumber?: string;
}

/** The message, code and serial number of an error record, with the HTTP status it came under. */
export function failureFacts({ status, fields, reason }: Classified): FailureFacts {
  const named = (name: 'errorMessage' | 'errorCode' | 'serial') => {
    const text = fields === undefined ? undefined : replyField(fields, name);
    return text === undefined ? undefined : printable(text).replaceAll('\n', ' ');
  };
  const [message, code, serial] = [named('errorMessage'), named('errorCode'), named('serial')];
  const details = [
    message === undefined || status === undefined ? [] : [`HTTP ${status}`],
    code === undefined ? [] : [`error code ${code}`],
    serial === undefined ? [] : [`serial number ${serial}`],
  ].flat();
  return {
    why: `${message ?? reason}${details.length === 0 ? '' : ` (${details.join(', ')})`}`,
    ...(status === undefined ? {} : { httpStatus: status }),
    ...(message === undefined ? {} : { gatewayMessage: message }),
    ...(code === undefined ? {} : { gatewayCode: code }),
    ...(serial === undefined ? {} : { serialNumber: serial }),
  };
}

/** What a status question without an order in its answer came to, in words. */
export function unansweredWords(classified: Classified): string {
  if (isOrderUnknown(classified)) return `the gateway knows no such order (${classified.reason})`;
  return `status could not be asked: ${failureFacts(classified).why}`;
}
