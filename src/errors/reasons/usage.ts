import { defineReasons, moneyMay } from './reason.js';

/** Of flags and arguments, for commands without an area of their own. */
export const usageReasons = defineReasons(() => ({
  sandboxNameNotOfForm: {
    code: 'USAGE',
    why: 'the name of a sandbox is 1 to 40 letters, digits, - and _, and is not a key or card number',
  },
  severalOrdersOfThatId: { code: 'USAGE', why: 'several orders have the id {name}: {orders}; name one of these' },
  ordersFiltersWrong: { code: 'USAGE', why: '{problems}' },
  canAsksTheGateway: { code: 'USAGE', why: '--can queries the gateway: omit --timeline and --offline' },
  watchAsksTheGateway: {
    code: 'USAGE',
    why: '--watch queries the gateway: omit --timeline, --offline and --can',
  },
  orderNotAtGatewayYet: {
    code: 'OUTCOME_UNKNOWN',
    may: moneyMay,
    why: 'the gateway does not have order {name}',
    how: 'paycli resolve {name:word}{flags}',
  },
  idOfTwoOrders: {
    code: 'USAGE',
    why: '{name} is the gateway order id of one order and the client order id of another ({other}); use --order-id {name} or --client-order-id {name}',
  },
  idsKnownApart: {
    code: 'USAGE',
    why: '{orderId} and {clientOrderId} belong to different orders; the journal has {known}: leave one of them out[; a follow-up has the client order id of its order, and {again} sends an equal second one]',
  },
  twoOrdersNamed: {
    code: 'USAGE',
    why: '{order} and --client-order-id {clientOrderId} name two different orders: leave one of them out[; a follow-up has the client order id of its order, and {again} sends an equal second one]',
  },
  digitsMayBeGatewayOrderId: {
    code: 'USAGE',
    why: '{name} is a client order id here, and without a status query it is not known whether another order has it as gateway order id; use --client-order-id {name}',
  },
  severalCardSources: { code: 'USAGE', why: 'use only one of --test-card, --card-file and --card-fd' },
  profileNotOfPlan: {
    code: 'USAGE',
    why: 'plan {plan} belongs to profile {profile}; name that one, or omit --profile',
  },
  flagDoesNothingAlone: { code: 'USAGE', why: '{flag} does nothing without {others}; add that, or omit {flag}' },
  wholeAmountAfterManual: {
    code: 'USAGE',
    why: 'a return of this order was settled manually (entry {entry}), and the gateway may not count it: give --amount',
  },
  amountOrAll: {
    code: 'AMOUNT_MISSING',
    why: `no amount is given: give --amount for a part, or --all, which {does} the full remaining amount[ (at most {left} according to the journal)]; \`{shown}\` shows the amounts`,
  },
  amountBesideAll: { code: 'USAGE', why: '--all and an amount cannot be combined; give one of them' },
  wholeAmountDeclined: {
    code: 'CANCELLED',
    why: 'nothing was sent',
    how: 'for a part of the amount, run it again with --amount',
  },
  wholeAmountChanged: {
    code: 'CANCELLED',
    why: 'the remaining amount was {shown} when you were asked; now {now}; nothing was sent',
    how: '`{order}` shows what happened; run it again to be asked about what remains now',
  },
  elsewhereNotAnswered: {
    code: 'NOT_SENT',
    why: 'whether the gateway has order {order} already is not known: {message}',
  },
  otherOrderOfThatId: {
    code: 'CONFIRMATION_NEEDED',
    why: 'the gateway already has an order {order}, which is not known to be this payment: {other}',
    how: 'nothing was sent; `{see}` shows it; only if that is another payment, give this one another --client-order-id',
  },
  returnsNotAnswered: { code: 'NOT_SENT', why: 'what was returned of the order already is not known: {message}' },
  returnedElsewhere: {
    code: 'CONFIRMATION_NEEDED',
    why: '{returned} of this order was returned from elsewhere: this may be the same return',
    how: 'nothing was sent; `{shown}` shows it; --again sends this return as well',
  },
  secondPaymentDeclined: { code: 'CANCELLED', why: 'nothing was sent', how: '{how}' },
  nameEmpty: { code: 'USAGE', why: '{name} is empty; give it a value or leave it out' },
  flagWithoutValue: {
    code: 'USAGE',
    why: '{flag} has no value: it is followed by {next} (an empty variable?); {flag}=TEXT gives a text that begins with -',
  },
  helpIsNoOrder: { code: 'USAGE', why: '`help` is not an order id{other}' },
  orderLooksLikeCard: {
    code: 'USAGE',
    why: 'the order argument looks like a card number, so it was neither sent nor shown; an order id of that form can be given with {flag}',
  },
  secretInText: { code: 'USAGE', why: '{flag} contains {what}, but its text would be stored and shown: {instead}' },
  commandMissing: { code: 'USAGE', why: 'no command is given, only flags' },
  flagGivenTwice: { code: 'USAGE', why: '{flag} is given twice, with different values; give it once' },
  operationMissing: {
    code: 'USAGE',
    why: 'an operation is missing: {known}; it comes first, as in `paycli sign sale`',
  },
  durationWrong: { code: 'USAGE', why: '{flag}: use {form}' },
  commandUnknown: { code: 'USAGE', why: 'unknown command{shown}{hint}' },
  commandAndTopicUnknown: { code: 'USAGE', why: 'unknown command or help topic{shown}{hint}' },
  operationUnknown: { code: 'USAGE', why: 'there is no operation {shown}{hint}' },
  generatedSectionUnknown: { code: 'USAGE', why: 'unknown generated section {name}' },
  orderNotInSandbox: { code: 'REFUSED', why: 'order not found', how: 'check the order id' },
  idsOfTwoOrders: {
    code: 'REFUSED',
    why: 'order id and client order id belong to different orders',
    how: 'remove one of them',
  },
  resultWithoutFields: { code: 'USAGE', why: '{flags}: this command prints no fields' },
  resultFieldUnknown: { code: 'USAGE', why: '{flags}: there is no field {name}{near}; {all}' },
  fieldsOfListAndEntry: {
    code: 'USAGE',
    why: '--json and --fields: {whole} belongs to the document and {part} to each entry of its list: choose from one of them',
  },
  outputNoPlainFile: { code: 'USAGE', why: '--output-file {path}: it is not a regular file' },
  outputFileDiskFull: { code: 'STORAGE', why: 'the disk is full', how: 'name another place with --output-file' },
  outputFileNotWritten: { code: 'STORAGE', why: 'it cannot be written', how: 'name another place with --output-file' },
  crashReported: {
    code: 'INTERNAL',
    how: 'report it with the file {file}, which holds no payment data',
    sent: 'if a request was under way, its outcome is unknown; `paycli resolve --all` resolves it before anything is repeated',
  },
  crashNotReported: {
    code: 'INTERNAL',
    how: 'no crash report could be written ({fault}); run the command again with -vv and report the output',
    sent: 'if a request was under way, its outcome is unknown; `paycli resolve --all` resolves it before anything is repeated',
  },
  wholeNumberBetween: { code: 'USAGE', why: '{flag}: use a whole number from {least} to {most}' },
  noSuchShell: { code: 'USAGE', why: 'there is no completion for that shell; available: {shells}' },
  twoEndpointsNamed: {
    code: 'USAGE',
    why: 'the path and --endpoint-id name different endpoints; give one of them',
  },
  pathHasScheme: {
    code: 'USAGE',
    why: `{path} is signed as the API documentation says; omit --scheme and --signed-values (\`paycli sign {operation} --recipe\` shows how)`,
  },
  noApiPath: { code: 'USAGE', why: 'a path looks like /api/v2/sale, with or without an endpoint id at its end' },
  schemeNotNamed: {
    code: 'USAGE',
    why: '{path} is not a path of the API; choose how to sign it with --scheme control, hmac-sha1, rsa-sha256 or none',
  },
  signedValuesNotNamed: {
    code: 'USAGE',
    why: '--scheme control needs --signed-values: the signed values in order, each a wire name of the request, login or endpointId',
  },
  orderNotNamed: {
    code: 'USAGE',
    why: `no order is named; give its gateway order id or your client order id, as in \`paycli {command} ORDER\`; \`paycli orders\` lists them`,
  },
  threeIdsForOneOrder: {
    code: 'USAGE',
    why: 'the order argument, --order-id and --client-order-id name one order three times; omit the argument',
  },
  orderInAnotherCurrency: {
    code: 'USAGE',
    why: 'order {order} is in {currency}, not in {given}: give the amount in {currency}',
  },
  orderNotInJournal: {
    code: 'USAGE',
    why: 'order {name} is not in the journal, and the gateway is not queried here, so the other values this request needs are not known; add {flags}',
  },
  orderNamedTwice: { code: 'USAGE', why: 'the argument and --order name different orders; give one of them' },
  viaNoWays: { code: 'USAGE', why: '--via: use callback, poll, or both with a comma in between' },
  orderIsRegistration: {
    code: 'USAGE',
    why: 'order {name} is the registration of a recurring payment: {reason}; each charge is an order of its own at the gateway, so give the id of that one; `paycli order {name:word}{flags}` shows what the journal has; nothing was sent',
  },
  orderNotKnownHere: { code: 'USAGE', why: 'nothing is known here about order {order} of profile {profile}{hint}' },
  bundleOrderUnknown: { code: 'USAGE', why: '{message}; `paycli journal` shows the known orders' },
  archiveToStandardOutput: { code: 'USAGE', why: 'an archive goes into a file, never to standard output' },
  archiveTaken: {
    code: 'USAGE',
    why: '{file} already exists, and nothing was written; choose another with --out, or add --replace',
  },
  archiveUnwritable: { code: 'STORAGE', how: 'nothing was written; check the folder and the disk' },
}));
