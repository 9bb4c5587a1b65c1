import { defineScenarios, type Scenario, sale } from '../scenario.js';

const step = 'take the payer to the bank, upload what comes back, and report the final status';

/** 3-D Secure 1.0.2 and 2.x. */
export const threedsScenarios: readonly Scenario[] = defineScenarios('3ds', {
  '3ds-challenge': {
    title: '3-D Secure 2.x: the payer passes the challenge',
    should: step,
    order: sale('3ds-challenge'),
    setUp: { payer: 'challenge' },
  },
  '3ds-challenge-failed': {
    title: '3-D Secure 2.x: the payer fails the challenge',
    should: `${step}: an accepted upload is not an approval`,
    order: sale('3ds-challenge'),
    setUp: { payer: 'fail' },
  },
  '3ds-abandoned': {
    title: '3-D Secure 2.x: the payer abandons the challenge',
    should: 'report it as pending: the payer may still come back',
    order: sale('3ds-challenge'),
    setUp: { payer: 'abandon' },
    expect: { timesMoneyMoved: [0], reports: ['pending', 'unknown', 'declined'] },
  },
  '3ds-frictionless': {
    title: '3-D Secure 2.x: the method step without a challenge',
    should: 'load the method frame, upload its result, and report the final status',
    order: sale('3ds-frictionless'),
    setUp: { payer: 'frictionless' },
  },
  '3ds-method': {
    title: '3-D Secure 2.x: the method step, then a challenge',
    should: 'complete both steps, and report the final status',
    order: sale('3ds-method'),
    setUp: { payer: 'challenge' },
  },
  '3ds-1': {
    title: '3-D Secure 1.0.2: the payer authenticates',
    should: step,
    order: sale('3ds-pares'),
    setUp: { payer: 'challenge' },
  },
  '3ds-1-failed': {
    title: '3-D Secure 1.0.2: the payer fails to authenticate',
    should: `${step}: an accepted upload is not an approval`,
    order: sale('3ds-pares'),
    setUp: { payer: 'fail' },
  },
});
