import type { ReplyKey } from './replies.js';
import { replyField } from './reply-names.js';
import { isFinal } from './statuses.js';

/** The steps that an order may expect from its payer (A18, A32), in words that follow "waiting for the payer:". */
export const payerSteps = {
  form: 'form not filled in yet',
  method: '3-D Secure method step',
  challenge: '3-D Secure challenge',
  pareq: '3-D Secure 1.0.2 authentication',
  'three-d-secure': '3-D Secure',
} as const;

export type PayerStep = keyof typeof payerSteps;

export function isPayerStep(word: unknown): word is PayerStep {
  return typeof word === 'string' && Object.hasOwn(payerSteps, word);
}

const ofCards = ['bin', 'lastFour', 'destinationBin', 'destinationLastFour'] as const;

// The words of tds_status with the fields each requires (A18), the later step first: a gateway may still send the fields
// of an earlier one.
const words: readonly (readonly [word: string, step: PayerStep, keys: readonly ReplyKey[]])[] = [
  ['CReqForm', 'challenge', ['creq', 'creqUrl']],
  ['PaReqForm', 'pareq', ['pareq', 'pareqUrl']],
  ['MethodUrlFrame', 'method', ['methodUrl']],
];

/**
 * The word of the open 3-D Secure step of a status reply, by `tds_status`, or without it by the fields of the steps.
 */
export function threeDSecureStepIn(fields: ReadonlyMap<string, string>): string | undefined {
  return (
    replyField(fields, 'threeDSecureStep') ??
    words.find(([, , keys]) => keys.every((key) => replyField(fields, key) !== undefined))?.[0]
  );
}

/**
 * The step that this reply expects from the payer; undefined where it does not say, so that what an earlier reply said
 * is still valid. `isForm`: the order was opened by a hosted form, and only the stage shows whether that was filled in.
 */
export function payerStepIn(fields: ReadonlyMap<string, string>, isForm: boolean): PayerStep | 'nothing' | undefined {
  if (isFinal(replyField(fields, 'status') ?? '')) return 'nothing';
  const word = threeDSecureStepIn(fields);
  if (word !== undefined) return words.find(([each]) => each === word)?.[1] ?? 'three-d-secure';
  const stage = replyField(fields, 'stage')?.toLowerCase() ?? '';
  if (stage.endsWith('_3d_validating') || replyField(fields, 'html', 'redirectTo') !== undefined)
    return 'three-d-secure';
  if (replyField(fields, 'redirect') !== undefined) return isForm ? 'form' : 'three-d-secure';
  if (isForm && stage.endsWith('_starting')) return 'form';
  return isForm && stage === '' && replyField(fields, ...ofCards) === undefined ? undefined : 'nothing';
}
