import { defineReasons } from './reason.js';

export const threedsReasons = defineReasons(() => ({
  pathNotNamed: { code: 'USAGE', why: '--path: use one of {paths}' },
  madeUpBankOnLive: {
    code: 'LIVE_GUARD',
    why: "3ds run simulates the bank's responses",
    how: 'choose a test profile or the sandbox',
  },
  threedsOver: { code: 'USAGE', why: 'the order is already {status}; no 3-D Secure step is open' },
  noThreedsStep: { code: 'PENDING', why: 'no 3-D Secure step appeared', how: '`{question}` polls again' },
  notFrictionless: {
    code: 'USAGE',
    why: 'the bank requires the payer to act ({step}), so the flow is not frictionless; try --path challenge',
  },
  noTimeoutWhenSimplified: {
    code: 'USAGE',
    why: 'in the simplified flow nothing is uploaded, so there is no path for a payer who never answers',
  },
  stepNotKnown: { code: 'USAGE', why: 'the open step, {step}, is unknown to paycli' },
  noCreqToAnswer: {
    code: 'READ_FAILED',
    why: 'the status reply contains no CReq that can be answered; no CRes was uploaded',
  },
  noMessageFromBank: {
    code: 'READ_FAILED',
    why: "the bank's page returned no {message}; nothing was uploaded",
  },
  bankAsksAgain: { code: 'READ_FAILED', why: "the bank's page keeps asking for the same input" },
  notSandboxPage: { code: 'USAGE', why: 'use the address of a page of a sandbox on this machine' },
  cancelOrCard: { code: 'USAGE', why: '--cancel and --test-card cannot be combined' },
  pageStillWaits: { code: 'PENDING', why: 'the page is still waiting for the outcome', how: 'open {url} later' },
  pageElsewhere: { code: 'USAGE', why: 'only pages of a sandbox on this machine are filled in' },
  pagesInCircle: { code: 'READ_FAILED', why: 'the pages redirect in a loop' },
}));
