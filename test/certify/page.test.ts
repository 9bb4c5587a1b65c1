// @module-tag chromium
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { certificateOf } from '../../src/certify/certificate.js';
import { scenarios } from '../../src/certify/index.js';
import { certificatePage } from '../../src/certify/page.js';
import { openBrowser } from '../e2e/hosted.js';
import { certified } from './certified.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser: Browser;
let html = '';

beforeAll(async () => {
  browser = await openBrowser();
  // Three verdicts on one page: passed, failed, not judged.
  const chosen = scenarios.filter(({ name }) => ['return-part', 'void-too-late', 'oauth-clock'].includes(name));
  const driver = 'case $CERTIFY_SCENARIO in return-part) exit 0 ;; void-too-late) exit 4 ;; *) exit 1 ;; esac';
  const judged = await certified(['sh', '-c', driver], {}, chosen);
  expect(judged.map(({ verdict }) => verdict)).toEqual(['failed', 'passed', 'not judged']);
  const run = { paycli: '1.2.3', at: Date.UTC(2030, 0, 7), seconds: 3, seed: 'test', baseline: undefined };
  html = certificatePage(certificateOf(judged, { ...run, driver: ['<b>driver</b>', '"&'] }));
});
afterAll(() => browser?.close());

const looks = [
  ['light', 390],
  ['light', 1280],
  ['dark', 390],
  ['dark', 1280],
] as const;

test.each(looks)('the page is readable by everybody, %s, %i px', async (colorScheme, width) => {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.setContent(html);
  await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
  await page.evaluate(`${axe}; undefined`);
  const run = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id }) => id))`;
  expect(await page.evaluate(run)).toEqual([]);
  const isWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
  expect(await page.evaluate(isWide)).toBe(false);
  expect(await page.locator('.verdict').textContent()).toBe('1 of 3 failed, 1 could not be judged');
  expect(await page.locator('code').first().textContent()).toBe('<b>driver</b> "&');
  expect(asked).toEqual([]);
  await context.close();
});

test('on paper it is black on white', async () => {
  const context = await browser.newContext({ colorScheme: 'dark' });
  const page = await context.newPage();
  await page.setContent(html);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
  expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(0, 0, 0)');
  await context.close();
});
