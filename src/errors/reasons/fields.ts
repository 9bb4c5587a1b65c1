import { defineReasons } from './reason.js';

/** Of the fields of a request, however they are given. */
export const fieldsReasons = defineReasons(() => ({
  fieldFlagWithoutName: { code: 'USAGE', why: '--field: use name=value' },
  fieldFlagGivenTwice: { code: 'USAGE', why: '--field {name} is given twice' },
  fieldGivenTwice: { code: 'USAGE', why: '--field {name} and the {other} give different values; give one' },
  fieldOutOfForce: { code: 'USAGE', why: '--field {name}: {unused}' },
  fieldUnknown: {
    code: 'USAGE',
    why: '{command} has no field {name}{hint} Add --allow-unknown-field to send it anyway',
  },
  fieldFileUnreadable: { code: 'USAGE', why: '--field {name}: the file {path} cannot be read as UTF-8 text' },
  fieldMadeByPaycli: {
    code: 'USAGE',
    why: 'paycli generates {name} itself; `paycli sign {command} --explain` shows how',
  },
  loginIsNoField: {
    code: 'USAGE',
    why: 'the login comes from the profile: use --login to name another, or set it in the profile',
  },
  cardInputUnfit: {
    code: 'SECRET_UNREADABLE',
    what: 'card data',
    how: 'or send the JSON object through a pipe with --input -',
  },
  testPayerOnLive: {
    code: 'USAGE',
    why: '--test-payer is for sandbox and test profiles, and profile {profile} is live (`paycli profile show --origins` shows what chose it)',
  },
  testCardOnLive: {
    code: 'FIELD_INVALID',
    problems:
      '--test-card is for sandbox and test profiles, and profile {profile} is live (`paycli profile show --origins` shows what chose it)',
  },
}));
