import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const widths = [390, 1280];

/**
 * What lies beyond the edge of the page, ids that are not unique, links to places that are not there, and the words that are broken inside: a run of letters or digits on more than one line.
 * Ids, addresses, code and what was signed may break anywhere.
 */
const layoutFaults = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const wide = scrollWidth > clientWidth ? ['wider than the page by ' + (scrollWidth - clientWidth)] : [];
  const isClipped = (element) =>
    element !== null && (getComputedStyle(element).clipPath !== 'none' || isClipped(element.parentElement));
  const beyond = [...document.body.querySelectorAll('*')].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && box.right > clientWidth + 1 && !isClipped(element) && element.closest('.scroll *') === null;
  });
  const broken = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const parent = text.parentElement;
    if (parent.closest('code, pre, script, style, textarea, [hidden]') !== null || isClipped(parent)) continue;
    for (const { 0: word, index } of text.data.matchAll(/(?<![\\w/.@%=&?-])[\\p{L}\\d]{2,24}(?![\\w/@%=&?-])/gu)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push('broken word: ' + word);
    }
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => 'id twice: ' + id);
  const anchors = [...document.querySelectorAll('a[href^="#"]')].map((link) => link.getAttribute('href').slice(1));
  const missing = anchors.filter((id) => document.getElementById(id) === null).map((id) => 'leads nowhere: #' + id);
  return [...wide, ...twice, ...missing, ...beyond.slice(0, 3).map((element) => 'beyond the edge: ' + element.outerHTML.slice(0, 160)), ...broken];
})()`;

const axeFaults = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join(' | ')))`;

/** No sideways scroll, no broken word and no accessibility fault, on a phone and on a screen. */
export async function inspectPage(page: Page, name: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    // Under load the first measures after a change of width are still those of the old one.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    const where = `${name}, ${width}`;
    expect.soft(await page.evaluate(layoutFaults), where).toEqual([]);
    // By the debugger, which the policy of the page does not bind.
    if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(`${axe}; undefined`);
    expect.soft(await page.evaluate(axeFaults), where).toEqual([]);
  }
}
