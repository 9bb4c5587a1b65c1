import type { ReasonRow } from './reason.js';

export const liveReasons = {
  leaseNotLive: {
    code: 'LIVE_GUARD',
    why: 'profile {profile} is of class {class}, which asks for no login',
    how: 'there is nothing to unlock; choose a live profile with --profile',
  },
} as const satisfies Record<string, ReasonRow>;
