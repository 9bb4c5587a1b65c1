import type { ReasonRow } from './reason.js';

export const usageReasons = {
  sandboxNameNotOfForm: {
    code: 'USAGE',
    why: 'the name of a sandbox has 1 to 40 letters, digits, - and _, and is no key and no card number',
  },
  severalOrdersOfThatId: { code: 'USAGE', why: 'several orders have the id {name}: {orders}; name one of these' },
  severalCardSources: { code: 'USAGE', why: 'take one of --test-card, --card-file and --card-fd' },
  profileNotOfPlan: {
    code: 'USAGE',
    why: 'plan {plan} is one of profile {profile}; name that one, or leave --profile out',
  },
  flagDoesNothingAlone: { code: 'USAGE', why: '{flag} does nothing without {others}; add that, or leave it out' },
  flagGivenTwice: { code: 'USAGE', why: '{flag} is given twice, with different values; give it once' },
  secondsNotWhole: { code: 'USAGE', why: '{flag} takes whole seconds from 1 to {most}' },
  commandUnknown: { code: 'USAGE', why: '{shown} is no command of {start}{hint}' },
  commandAndTopicUnknown: { code: 'USAGE', why: '{shown} is no command of {start} and no help topic{hint}' },
  operationUnknown: { code: 'USAGE', why: 'there is no operation {shown}{hint}' },
  generatedSectionUnknown: { code: 'USAGE', why: 'no generated section is named {name}' },
  orderNotInSandbox: { code: 'REFUSED', why: 'order not found', how: 'check the order id' },
  idsOfTwoOrders: {
    code: 'REFUSED',
    why: 'order id and client order id do not belong together',
    how: 'leave one of them out',
  },
  resultWithoutFields: { code: 'USAGE', why: '{flags}: this command prints no fields' },
  resultFieldUnknown: { code: 'USAGE', why: '{flags}: there is no field {name}{near}; {all}' },
  fieldsOfListAndEntry: {
    code: 'USAGE',
    why: '--json and --select: {whole} stands beside the list and {part} in each of its entries: choose from one of \
them',
  },
  outputNoPlainFile: { code: 'USAGE', why: '--output-file {path}: that is no plain file' },
  outputFileDiskFull: { code: 'STORAGE', why: 'the disk is full', how: 'name another place with --output-file' },
  outputFileNotWritten: { code: 'STORAGE', why: 'it cannot be written', how: 'name another place with --output-file' },
  crashReported: {
    code: 'INTERNAL',
    how: 'report it with the file {file}, which holds no payment data',
    sent: 'if a request was under way its outcome is unknown; `paycli resolve --all` settles it before anything is \
repeated',
  },
  crashNotReported: {
    code: 'INTERNAL',
    how: 'no crash report could be written ({fault}); run the command again with -vv and report what it prints',
    sent: 'if a request was under way its outcome is unknown; `paycli resolve --all` settles it before anything is \
repeated',
  },
} as const satisfies Record<string, ReasonRow>;
