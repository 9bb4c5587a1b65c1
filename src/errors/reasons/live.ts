import type { ReasonRow } from './reason.js';

export const liveReasons = {
  liveFlagNotMeant: {
    code: 'LIVE_GUARD',
    why: '--live was given, but profile {profile} is of class {class}',
    how: 'leave --live out, or choose a live profile',
  },
  liveFlagMissing: {
    code: 'LIVE_GUARD',
    why: 'profile {profile} is live and moves real money',
    how: 'add --live to this command line if that is meant',
  },
  operationAssumed: {
    code: 'LIVE_GUARD',
    why: '{operation} is assumed as a whole, not stated by the interface',
    how: 'set assume: { payout-pay: accepted } in the profile once the gateway confirmed it',
  },
  loginNotOfProfile: {
    code: 'LIVE_GUARD',
    why: 'the login that was given is not the login of profile {profile}',
    how: 'nothing was sent; check which profile is meant, then start again',
  },
  noTerminalToConfirm: {
    code: 'LIVE_GUARD',
    why: '{need}, and there is no terminal to ask on',
    how: 'add --confirm-login LOGIN',
  },
  leaseNotLive: {
    code: 'LIVE_GUARD',
    why: 'profile {profile} is of class {class}, which asks for no login',
    how: 'there is nothing to unlock; choose a live profile with --profile',
  },
} as const satisfies Record<string, ReasonRow>;
