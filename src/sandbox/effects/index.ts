import type { OperationId } from '../../spec/index.js';
import * as cards from './cards.js';
import type { Effect } from './effect.js';
import * as followups from './followups.js';
import * as forms from './forms.js';
import * as payments from './payments.js';
import * as payouts from './payouts.js';
import { status } from './status.js';
import * as threeds from './threeds.js';

/** What each operation does once it is accepted. */
export const effects: Readonly<Record<OperationId, Effect>> = {
  SALE: payments.sale,
  PREAUTH: payments.preauth,
  CAPTURE: followups.capture,
  VOID: followups.voidTransaction,
  RETURN: followups.returnMoney,
  STATUS: status,
  ACCOUNT_VERIFICATION: payments.accountVerification,
  PAYOUT: payouts.payout,
  PAYOUT_V4_CHECK: payouts.payoutCheck,
  PAYOUT_V4_PAY: followups.payoutPay,
  TRANSFER_V4: payouts.transfer,
  CARDREF: cards.createCardRef,
  CARDREF_V4: cards.createCardRef,
  CARDINFO: cards.cardInfo,
  REBILL: payments.rebill,
  CREATE_RP_V4: cards.createRecurring,
  PAN_ELIGIBILITY_SEND: cards.panEligibilitySend,
  SALEFORM: forms.saleForm,
  PREAUTHFORM: forms.preauthForm,
  PAYMENTFORM: forms.saleForm,
  PAYOUTFORM: forms.payoutForm,
  ACCOUNT_VERIFICATION_FORM: forms.accountVerificationForm,
  TDS_UPLOAD_CRES_RESULT: threeds.uploadCres,
  TDS_UPLOAD_METHOD_URL_RESULT: threeds.uploadMethod,
  TDS_UPLOAD_PARES_RESULT: threeds.uploadPares,
};

export type { Effect } from './effect.js';
