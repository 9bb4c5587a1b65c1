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
} as const satisfies Record<string, ReasonRow>;
