/** Light and dark. Text keeps a contrast of 4.5 or more to what it stands on. */
const colours = `
:root {
  color-scheme: light dark;
  --page: #f4f6f8; --sheet: #ffffff; --ink: #17202b; --dim: #52606f; --line: #d5dbe2; --edge: #78838f; --soft: #eef1f5;
  --link: #0a55a3; --bar: #17202b; --on-bar: #f4f6f8;
  --good: #14592f; --good-bg: #dff3e6; --bad: #98191f; --bad-bg: #fbe5e5; --wait: #6e4700; --wait-bg: #fdeecb;
  --odd: #5b2a91; --odd-bg: #efe5fa; --open: #37445a; --open-bg: #e4e8ee;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #10151b; --sheet: #19212a; --ink: #e6ebf0; --dim: #a5b1bf; --line: #303b48; --edge: #74808e; --soft: #222c37;
    --link: #82bdf8; --bar: #0a0e13; --on-bar: #e6ebf0;
    --good: #84e0a4; --good-bg: #143522; --bad: #ffa9a9; --bad-bg: #441b1e; --wait: #f5cd80; --wait-bg: #3b2d10;
    --odd: #d8bbfa; --odd-bg: #33224b; --open: #c3ccd8; --open-bg: #2b3541;
  }
}
`;

const common = `
*, *::before, *::after { box-sizing: border-box; }
html { font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--page); color: var(--ink); overflow-wrap: anywhere; }
main { flex: 1; width: 100%; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
main:focus { outline: none; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 .75rem; }
h2 { font-size: 1.05rem; margin: 0 0 .6rem; }
p { margin: .35rem 0; }
pre { white-space: pre-wrap; }
code { font: .92em ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; }
dt, .hint, .under, .merchant, .address, footer { color: var(--dim); font-size: .875rem; }
dd { margin: 0; }
label, legend { display: block; font-size: .9375rem; font-weight: 600; padding: 0; }
input:not([type=radio]), select, button { font: inherit; width: 100%; min-height: 2.5rem; padding: .4rem .75rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--sheet); color: var(--ink); }
button { background: var(--link); border-color: var(--link); color: var(--sheet); font-weight: 600; cursor: pointer; }
summary { cursor: pointer; width: fit-content; padding: .15rem 0; color: var(--link); font-size: .9375rem; }
footer { padding: 1rem; text-align: center; }
`;

/** One column, for the customer of a shop. */
const hosted = `
.ribbon { background: var(--wait-bg); color: var(--wait); text-align: center; padding: .4rem 1rem; font-size: .875rem; }
.panel { max-width: 29rem; margin: 0 auto; padding: 1.5rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 14px; }
.amount { font-size: 2rem; line-height: 1.2; font-weight: 650; font-variant-numeric: tabular-nums; }
.amount abbr { font-size: 1.125rem; color: var(--dim); text-decoration: none; }
.panel dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 1rem 0; padding: 1rem 0 0; border-top: 1px solid var(--line); }
.panel dd { text-align: right; }
.panel .field { margin: 0 0 1rem; }
.pair, .choices { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem 1rem; align-items: start; }
input[aria-invalid=true] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
.error { margin: .35rem 0 0; color: var(--bad); font-size: .875rem; font-weight: 500; }
.error:empty { display: none; }
button.quiet { margin-top: .625rem; background: transparent; color: var(--ink); border-color: var(--edge); }
.notice { margin: 1rem 0 0; padding: .75rem 1rem; border-radius: 10px; background: var(--soft); }
.notice.good { background: var(--good-bg); color: var(--good); }
.notice.bad, .notice.bad a { background: var(--bad-bg); color: var(--bad); }
.notice.wait { background: var(--wait-bg); color: var(--wait); }
fieldset { border: 0; margin: 0 0 1rem; padding: 0; min-width: 0; }
.choices label { display: flex; align-items: center; gap: .5rem; padding: .6rem .75rem; border: 1px solid var(--edge); border-radius: 10px; font-weight: 500; cursor: pointer; }
.choices label:has(:checked) { border-color: var(--link); box-shadow: inset 0 0 0 1px var(--link); }
form:has(#to-card:checked) fieldset[class]:not(.to-card), form:has(#to-bank:checked) fieldset[class]:not(.to-bank),
form:has(#to-phone:checked) fieldset[class]:not(.to-phone), form:has(#to-wallet:checked) fieldset[class]:not(.to-wallet) { display: none; }
.code { display: block; font-size: 1.75rem; letter-spacing: .2em; }
.spinner { width: 2.25rem; height: 2.25rem; margin: 1.5rem auto .5rem; border: 3px solid var(--line); border-top-color: var(--link); border-radius: 50%; animation: turn 2s linear infinite; }
@keyframes turn { to { transform: rotate(1turn); } }
.centre { text-align: center; }
[hidden] { display: none !important; }
`;

/** The width of a screen, for the merchant. */
const dashboard = `
.wide { max-width: 76rem; }
section { margin: 0 0 2rem; }
.under { display: block; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: .5rem; top: -4rem; padding: .5rem .9rem; background: var(--sheet); }
.skip:focus { top: .5rem; }
.bar { display: flex; justify-content: space-between; padding: .65rem 1.25rem; background: var(--bar); color: var(--on-bar); }
.bar a { color: inherit; font-weight: 650; text-decoration: none; }
.bar :focus-visible { outline-color: var(--on-bar); }
.filters, .facts, .empty, .timeline, table { background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; }
.filters { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: end; margin: 0 0 1.25rem; padding: 1rem; }
.filters p { flex: 1 1 9rem; margin: 0; }
.empty, .facts { margin: 0; padding: 1rem; }
.scroll { overflow-x: auto; }
table { width: 100%; border-spacing: 0; }
caption { text-align: left; color: var(--dim); font-size: .875rem; padding: 0 0 .5rem; }
th, td { text-align: left; vertical-align: top; padding: .6rem .9rem; border-top: 1px solid var(--line); overflow-wrap: break-word; }
thead th { border-top: 0; color: var(--dim); font-size: .8125rem; }
.sum { font-size: 1.2rem; }
time, .sum { font-variant-numeric: tabular-nums; white-space: nowrap; }
.status { display: inline-block; white-space: nowrap; padding: .05rem .6rem; border-radius: 999px; font-size: .875rem; font-weight: 600; background: var(--open-bg); color: var(--open); }
.is-approved { background: var(--good-bg); color: var(--good); }
.is-declined, .is-error { background: var(--bad-bg); color: var(--bad); }
.is-processing, .is-chain-declined { background: var(--wait-bg); color: var(--wait); }
.is-filtered, .is-unknown { background: var(--odd-bg); color: var(--odd); }
.paging { display: flex; gap: 1.25rem; justify-content: flex-end; padding: .9rem 0; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); gap: .9rem 1.5rem; }
.timeline { list-style: none; margin: 0; padding: 0 1rem; }
.event { padding: .75rem 0; border-top: 1px solid var(--line); }
.event:first-child { border-top: 0; }
.kind { font-weight: 600; }
.of-refusal .kind { color: var(--bad); }
.of-stage .kind { color: var(--good); }
.pairs div { display: flex; flex-wrap: wrap; gap: 0 1rem; }
.pairs dt { flex: 0 0 min(14rem, 100%); }
`;

export const style = `${colours}${common}${hosted}${dashboard}`;

/** Posts the one form of a page that asks for it. */
export const sendScript = `'use strict';
(() => {
  const form = document.querySelector('form[data-send]');
  if (form) setTimeout(() => form.submit(), Number(form.dataset.send));
})();
`;

/**
 * Looks at its own page once a second and takes over what changed. Opened details and the focus stay. Without it
 * everything works by reloading.
 */
export const liveScript = `'use strict';
(() => {
  const pulse = document.getElementById('pulse');
  let shown = document.getElementById('live').innerHTML;
  const say = (text) => {
    if (pulse.textContent !== text) pulse.textContent = text;
  };
  const named = ({ id, tagName, parentElement }, href) => {
    if (id !== '') return '#' + CSS.escape(id);
    if (tagName === 'SUMMARY') return '#' + CSS.escape(parentElement.id) + ' > summary';
    return href === null ? undefined : '[href="' + CSS.escape(href) + '"]';
  };
  const look = async () => {
    const live = document.getElementById('live');
    const focused = live.contains(document.activeElement) ? document.activeElement : undefined;
    if (document.hidden || /^(INPUT|SELECT)$/.test(focused?.tagName)) return;
    try {
      const reply = await fetch(location.href);
      const next = new DOMParser().parseFromString(await reply.text(), 'text/html').getElementById('live');
      say('Connected');
      if (next === null || next.innerHTML === shown) return;
      shown = next.innerHTML;
      const opened = [...live.querySelectorAll('details[open]')].map((details) => details.id);
      live.replaceWith(next);
      for (const id of opened) document.getElementById(id)?.setAttribute('open', '');
      const place = focused && named(focused, focused.getAttribute('href'));
      if (place) next.querySelector(place)?.focus({ preventScroll: true });
    } catch {
      say('Not connected');
    }
  };
  setInterval(look, 1000);
  look();
})();
`;
