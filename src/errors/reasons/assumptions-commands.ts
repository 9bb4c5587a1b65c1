import type { ReasonRow } from './reason.js';

export const assumptionsCommandsReasons = {
  noSuchAssumption: { code: 'USAGE', why: 'there is no assumption {assumption}{hint}' },
  noSwitchNamed: { code: 'USAGE', why: 'say SWITCH=VALUE, or --unset SWITCH' },
  sandboxHasNoSwitches: {
    code: 'USAGE',
    why: `the sandbox in the box has no profile, and goes by every default; \
\`paycli sandbox start --assume SWITCH=VALUE\` starts one that does not, \
and \`paycli profile add\` makes a profile for its address`,
  },
  profileNotInUserFile: { code: 'USAGE', why: 'profile {profile} does not stand in the user file {file}{hint}' },
  liveSwitchNeedsYes: {
    code: 'CONFIRMATION_NEEDED',
    why: 'profile {profile} is live, so setting {what} needs a yes, and there is no terminal to ask on',
    how: 'add --yes if that is meant',
  },
  switchChangeDeclined: { code: 'CONFIRMATION_NEEDED', why: 'nothing was changed', how: 'the answer was no' },
} as const satisfies Record<string, ReasonRow>;
