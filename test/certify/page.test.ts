// @module-tag chromium
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { certificateOf } from '../../src/certify/certificate.js';
import { scenarios } from '../../src/certify/index.js';
import { certificatePage } from '../../src/certify/page.js';
import { openBrowser } from '../e2e/hosted.js';
import { inspectPage } from '../e2e/page-checks.js';
import { certified } from './certified.js';

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

test('the page is readable by everybody, and loads nothing', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.setContent(html);
  await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
  await inspectPage(page, 'certificate');
  expect(await page.locator('.verdict').textContent()).toBe('1 of 3 failed, 1 could not be judged');
  expect(await page.locator('code').first().textContent()).toBe('<b>driver</b> "&');
  expect(asked).toEqual([]);
  await context.close();
});
