import { firstOf, isFinal, replyField } from './replies.js';

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

const byWord: Readonly<Record<string, PayerStep>> = {
  MethodUrlFrame: 'method',
  CReqForm: 'challenge',
  PaReqForm: 'pareq',
};
const ofCards = ['bin', 'last-four-digits', 'dest-bin', 'dest-last-four-digits'];

// The fields each step requires (A18), the later step first: a gateway may still send the fields of an earlier one.
const fieldsOfSteps: readonly (readonly [word: string, names: readonly string[]])[] = [
  ['CReqForm', ['tds-creq-form-creq', 'tds-creq-form-acs-url']],
  ['PaReqForm', ['tds-pareq-form-pareq', 'tds-pareq-form-acs-url']],
  ['MethodUrlFrame', ['tds-method-url-frame-3ds-method-url']],
];

/**
 * The word of the open 3-D Secure step of a status reply, by `tds_status`, or without it by the fields of the steps.
 */
export function threeDSecureStepIn(fields: ReadonlyMap<string, string>): string | undefined {
  return (
    replyField(fields, 'threeDSecureStep') ??
    fieldsOfSteps.find(([, names]) => names.every((name) => firstOf(fields, [name]) !== undefined))?.[0]
  );
}

/**
 * The step that this reply expects from the payer; undefined where it does not say, so that what an earlier reply said
 * is still valid. `isForm`: the order was opened by a hosted form, and only the stage shows whether that was filled in.
 */
export function payerStepIn(fields: ReadonlyMap<string, string>, isForm: boolean): PayerStep | 'nothing' | undefined {
  if (isFinal(replyField(fields, 'status') ?? '')) return 'nothing';
  const word = threeDSecureStepIn(fields);
  if (word !== undefined) return byWord[word] ?? 'three-d-secure';
  const stage = fields.get('order-stage')?.toLowerCase() ?? '';
  if (stage.endsWith('_3d_validating') || replyField(fields, 'simplifiedStep') !== undefined) return 'three-d-secure';
  if (replyField(fields, 'redirect') !== undefined) return isForm ? 'form' : 'three-d-secure';
  if (isForm && stage.endsWith('_starting')) return 'form';
  return isForm && stage === '' && firstOf(fields, ofCards) === undefined ? undefined : 'nothing';
}
