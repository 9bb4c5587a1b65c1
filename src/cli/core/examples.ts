import type { Operation, OperationId } from '../../spec/index.js';

/**
 * Examples per operation, on the built-in sandbox. $ORDER and $ID stand for the order id and client order id of an
 * earlier order, $CARD for a card reference, $TDS for a 3-D Secure transaction id, $CRES and $PARES for results. A test
 * runs each of them.
 */
const examples: Readonly<Record<OperationId, readonly string[]>> = {
  SALE: [
    'sale --amount 10.42 --currency USD --test-card approved --wait',
    'sale --amount 10.42 --currency USD --test-card 3ds-method --json',
  ],
  PREAUTH: ['preauth --amount 25.00 --currency EUR --test-card approved --wait'],
  CAPTURE: [
    'capture $ORDER --client-order-id $ID',
    'capture $ORDER --client-order-id $ID --amount 10.00 --currency EUR --wait',
  ],
  VOID: ['void $ORDER --client-order-id $ID --comment "ordered twice"'],
  RETURN: [
    'return $ORDER --client-order-id $ID',
    'return $ORDER --client-order-id $ID --amount 5.00 --currency EUR --wait',
  ],
  STATUS: ['status $ORDER --client-order-id $ID', 'status --client-order-id $ID --wait --expect approved'],
  ACCOUNT_VERIFICATION: ['account-verification --test-card approved --wait'],
  PAYOUT: [
    'payout --amount 50.00 --currency EUR --card-number 4444333322221111',
    'payout --amount 50.00 --currency EUR --account-number DE02120300000000202051 --bank-name "DKB" --bank-branch Berlin --wait',
  ],
  PAYOUT_V4_CHECK: ['payout check --amount 50.00 --currency EUR --receiver-phone +4930123456 --bank-id 100 --wait'],
  PAYOUT_V4_PAY: ['payout pay $ORDER --client-order-id $ID --wait'],
  TRANSFER_V4: [
    'transfer --amount 12.00 --currency USD --deposit2card true --destination-card-number 5555666644441111',
  ],
  CARDREF: ['card-ref create $ORDER --client-order-id $ID'],
  CARDREF_V4: ['card-ref create $ORDER --client-order-id $ID --api v4'],
  CARDINFO: ['card-ref info --card-ref-id $CARD'],
  REBILL: ['rebill --card-ref-id $CARD --amount 9.99 --currency USD --wait'],
  CREATE_RP_V4: [
    'recurring create --recurring-card-type SRC --amount 9.99 --currency USD --period monthly --interval 1 --test-card approved',
  ],
  PAN_ELIGIBILITY_SEND: ['pan-eligibility send --sending-card-ref-id $CARD --wait'],
  SALEFORM: ['form sale --amount 10.42 --currency USD'],
  PREAUTHFORM: ['form preauth --amount 25.00 --currency EUR'],
  PAYMENTFORM: ['form payment --amount 10.42 --currency USD'],
  PAYOUTFORM: ['form payout --amount 50.00 --currency EUR'],
  ACCOUNT_VERIFICATION_FORM: ['form account-verification'],
  TDS_UPLOAD_CRES_RESULT: ['upload-3ds cres $ORDER --client-order-id $ID --c-res $CRES'],
  TDS_UPLOAD_METHOD_URL_RESULT: [
    'upload-3ds method $ORDER --client-order-id $ID --tds-server-trans-id $TDS --tds-comp-ind Y',
  ],
  TDS_UPLOAD_PARES_RESULT: ['upload-3ds pares $ORDER --client-order-id $ID --pa-res $PARES'],
};

/** Command lines without the word `paycli`. */
export function exampleLines(row: Operation): readonly string[] {
  return Object.entries(examples).find(([id]) => id === row.id)?.[1] ?? [];
}

/** The first example of an operation, without the flags of waiting: what remains can be signed as well. */
export function plainExample(row: Operation): string {
  return (exampleLines(row)[0] ?? row.command).replace(' --wait', '');
}

/** A paragraph of help below which its examples stand; each is a command line without the word `paycli`. */
export function withExamples(text: string, examples: readonly string[]): string {
  return examples.length === 0
    ? text
    : `${text}\n\nExamples:\n${examples.map((example) => folded(`  paycli ${example}`)).join('\n')}`;
}

const widest = 80;

/** A long line as a shell takes it on several: broken before flags. */
function folded(line: string): string {
  const [first = '', ...others] = line.split(/ (?=--)/);
  return others.reduce((text, part, at) => {
    const last = text.slice(text.lastIndexOf('\n') + 1);
    const continues = at === others.length - 1 ? '' : ' \\';
    return `${last} ${part}${continues}`.length <= widest ? `${text} ${part}` : `${text} \\\n      ${part}`;
  }, first);
}
