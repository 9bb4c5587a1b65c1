import type { OperationId } from '../../spec/index.js';
import * as followUps from './follow-ups.js';
import type { Effect } from './open-order.js';
import * as payments from './payments.js';
import { status } from './status.js';
import * as threeDSecure from './three-d-secure.js';

/** What each operation does once it is accepted. */
export const effects: Readonly<Record<OperationId, Effect>> = {
  SALE: payments.sale,
  PREAUTH: payments.preauth,
  CAPTURE: followUps.capture,
  VOID: followUps.voidTransaction,
  RETURN: followUps.returnPayment,
  STATUS: status,
  ACCOUNT_VERIFICATION: payments.accountVerification,
  PAYOUT: payments.payout,
  PAYOUT_V4_CHECK: payments.payoutCheck,
  PAYOUT_V4_PAY: followUps.payoutPay,
  TRANSFER_V4: payments.transfer,
  CARDREF: payments.createCardRef,
  CARDREF_V4: payments.createCardRef,
  CARDINFO: payments.cardInfo,
  REBILL: payments.rebill,
  CREATE_RP_V4: payments.createRecurring,
  PAN_ELIGIBILITY_SEND: payments.panEligibilitySend,
  SALEFORM: payments.saleForm,
  PREAUTHFORM: payments.preauthForm,
  PAYMENTFORM: payments.saleForm,
  PAYOUTFORM: payments.payoutForm,
  ACCOUNT_VERIFICATION_FORM: payments.accountVerificationForm,
  TDS_UPLOAD_CRES_RESULT: threeDSecure.uploadCres,
  TDS_UPLOAD_METHOD_URL_RESULT: threeDSecure.uploadMethod,
  TDS_UPLOAD_PARES_RESULT: threeDSecure.uploadPares,
};

export type { Effect } from './open-order.js';
