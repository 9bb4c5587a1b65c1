/** The colours of the dashboard, light and dark. Text keeps a contrast of 4.5 or more to what it stands on. */
const colours = `
:root {
  color-scheme: light dark;
  --page: #f4f6f8; --sheet: #ffffff; --ink: #17202b; --dim: #52606f; --line: #d5dbe2; --soft: #eef1f5;
  --link: #0a55a3; --focus: #0a55a3; --bar: #17202b; --on-bar: #f4f6f8; --on-bar-dim: #b9c4d0;
  --good: #14592f; --good-bg: #dff3e6; --bad: #98191f; --bad-bg: #fbe5e5; --wait: #6e4700; --wait-bg: #fdeecb;
  --odd: #5b2a91; --odd-bg: #efe5fa; --open: #37445a; --open-bg: #e4e8ee;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #10151b; --sheet: #19212a; --ink: #e6ebf0; --dim: #a5b1bf; --line: #303b48; --soft: #222c37;
    --link: #82bdf8; --focus: #82bdf8; --bar: #0a0e13; --on-bar: #e6ebf0; --on-bar-dim: #a5b1bf;
    --good: #84e0a4; --good-bg: #143522; --bad: #ffa9a9; --bad-bg: #441b1e; --wait: #f5cd80; --wait-bg: #3b2d10;
    --odd: #d8bbfa; --odd-bg: #33224b; --open: #c3ccd8; --open-bg: #2b3541;
  }
}
`;

const page = `
*, *::before, *::after { box-sizing: border-box; }
html { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--page); color: var(--ink); overflow-wrap: anywhere; }
main { flex: 1; width: 100%; max-width: 76rem; margin: 0 auto; padding: 1.5rem 1.25rem 3rem; }
main:focus { outline: none; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 2px; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; letter-spacing: -.01em; }
h2 { font-size: 1.05rem; margin: 0 0 .6rem; }
section { margin: 0 0 2rem; }
pre { margin: .75rem 0; padding: .75rem 1rem; background: var(--soft); border-radius: 6px; white-space: pre-wrap; }
code { font: .92em ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; }
.hint, .under, .foot, .back { color: var(--dim); font-size: .875rem; }
.under { display: block; font-weight: 400; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: .5rem; top: -4rem; padding: .5rem .9rem; background: var(--sheet); z-index: 1; border-radius: 4px; }
.skip:focus { top: .5rem; }
.bar { flex: none; display: flex; flex-wrap: wrap; align-items: center; gap: .35rem 1.75rem; padding: .65rem max(1.25rem, calc(50vw - 36.75rem)); background: var(--bar); color: var(--on-bar); }
.bar :focus-visible { outline-color: var(--on-bar); }
.bar p { margin: 0; }
.brand { font-weight: 650; display: flex; align-items: center; gap: .55rem; }
.mark { width: .8rem; height: .8rem; border-radius: 3px; background: linear-gradient(135deg, #6fd39a, #4aa3f0); }
.bar a { color: inherit; text-decoration: none; }
.pulse { margin-left: auto; font-size: .875rem; color: var(--on-bar-dim); }
.bar .pulse { margin-left: auto; }
.pulse[data-state]::before { content: ""; display: inline-block; width: .55rem; height: .55rem; border-radius: 50%; margin-right: .45rem; background: #d98a3d; }
.pulse[data-state="Connected"]::before { background: #4cc38a; }
.foot { border-top: 1px solid var(--line); padding: 1rem max(1.25rem, calc(50vw - 36.75rem)); }
.foot p { margin: 0; }
.back { margin: 0 0 .5rem; }
`;

const parts = `
.filters { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: end; margin: 0 0 1.25rem; padding: 1rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; }
.field { margin: 0; flex: 1 1 9rem; min-width: 0; }
.field.wide { flex: 2 1 14rem; }
.field.buttons { flex: 0 0 auto; display: flex; gap: 1rem; align-items: center; }
label { display: block; font-size: .875rem; color: var(--dim); margin-bottom: .25rem; }
input, select, button { font: inherit; min-height: 2.5rem; border-radius: 6px; border: 1px solid #7a8794; background: var(--sheet); color: var(--ink); padding: .3rem .65rem; width: 100%; }
input::placeholder { color: var(--dim); opacity: 1; }
button { width: auto; padding: .3rem 1.1rem; background: var(--link); border-color: var(--link); color: var(--sheet); font-weight: 600; cursor: pointer; }
.empty { background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; padding: 1.5rem; max-width: 46rem; }
.empty h2 { font-size: 1.2rem; }
.empty p { margin: .4rem 0; }
table { width: 100%; border-collapse: separate; border-spacing: 0; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
caption { text-align: left; color: var(--dim); font-size: .875rem; padding: 0 0 .5rem; }
th, td { text-align: left; vertical-align: top; padding: .65rem .9rem; border-top: 1px solid var(--line); font-weight: 400; }
thead th { border-top: 0; background: var(--soft); color: var(--dim); font-size: .8125rem; font-weight: 600; }
tbody th { font-weight: 600; }
tbody tr:hover > * { background: color-mix(in srgb, var(--soft) 55%, transparent); }
.amount { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
time { font-variant-numeric: tabular-nums; white-space: nowrap; }
.status { display: inline-block; white-space: nowrap; padding: .05rem .6rem; border-radius: 999px;
  font-size: .875rem; font-weight: 600; background: var(--open-bg); color: var(--open); }
.is-approved { background: var(--good-bg); color: var(--good); }
.is-declined, .is-error { background: var(--bad-bg); color: var(--bad); }
.is-processing, .is-chain-declined { background: var(--wait-bg); color: var(--wait); }
.is-filtered, .is-unknown { background: var(--odd-bg); color: var(--odd); }
.paging { display: flex; gap: 1.25rem; justify-content: flex-end; padding: .9rem 0; }
.paging span { color: var(--dim); }
.lead { display: flex; flex-wrap: wrap; align-items: baseline; gap: .3rem .9rem; margin: 0 0 1.5rem; }
.stage { color: var(--dim); }
.sum { font-size: 1.3rem; font-variant-numeric: tabular-nums; margin-left: auto; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); gap: .9rem 1.5rem; margin: 0; padding: 1rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; }
dt { color: var(--dim); font-size: .8125rem; }
dd { margin: 0; }
.timeline { list-style: none; margin: 0; padding: 0 1rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; }
.event { display: grid; grid-template-columns: 15.5rem 1fr; gap: .1rem 1rem; padding: .75rem 0; border-top: 1px solid var(--line); }
.event:first-child { border-top: 0; }
.event p { margin: 0; }
.when { color: var(--dim); font-size: .875rem; display: flex; gap: .75rem; align-items: baseline; }
.kind { font-weight: 600; color: var(--ink); }
.of-refusal .kind, .of-refusal .title { color: var(--bad); }
.of-stage .kind { color: var(--good); }
.of-callback .kind { color: var(--odd); }
.of-queue .kind, .of-clock .kind { color: var(--wait); }
summary { cursor: pointer; color: var(--link); font-size: .875rem; width: fit-content; padding: .15rem 0; }
.pairs { margin: .35rem 0 .25rem; display: grid; gap: .15rem; font-size: .875rem; }
.pairs div { display: grid; grid-template-columns: minmax(8rem, 14rem) 1fr; gap: 0 1rem; }
`;

// A word in a column stays whole; ids, addresses and messages may break anywhere. Where columns do not fit, each row is
// a block of labelled values.
const tables = `
th, td { overflow-wrap: break-word; }
tbody th, td[data-label="Address"], td[data-label="Last result"] { overflow-wrap: anywhere; }
@media (max-width: 60rem) {
  table.cards { background: none; border: 0; overflow: visible; }
  table.cards, table.cards tbody, table.cards caption { display: block; }
  table.cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table.cards tbody tr { display: block; background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; margin: 0 0 .75rem; padding: .35rem .9rem; }
  table.cards tbody tr > * { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: 0 .75rem; border: 0; padding: .3rem 0; text-align: left; white-space: normal; background: none; }
  table.cards tbody tr > *::before { content: attr(data-label); color: var(--dim); font-weight: 400; font-size: .875rem; }
  table.cards .under { grid-column: 2; }
  table.cards th, table.cards td { overflow-wrap: anywhere; }
  table.cards .status { justify-self: start; }
}
`;

const phone = `
@media (max-width: 44rem) {
  main { padding: 1.1rem .9rem 2rem; }
  .bar { padding-inline: .9rem; }
  .sum { margin-left: 0; width: 100%; }
  .event { grid-template-columns: 1fr; }
  .pairs div { grid-template-columns: 1fr; margin-bottom: .3rem; }
  .foot { padding-inline: .9rem; }
  .field { flex-basis: 40%; }
  .field.wide, .field.buttons { flex-basis: 100%; }
}
@media (prefers-reduced-motion: no-preference) { .pulse[data-state="Connected"]::before { animation: breathe 2.4s ease-in-out infinite; } }
@keyframes breathe { 50% { opacity: .45; } }
`;

export const style = `${colours}${page}${parts}${tables}${phone}`;

/**
 * What the browser runs. It asks once a second whether anything happened, and if so takes over the changed part of the
 * same page. Opened details and the focus stay. Without it everything works by reloading.
 */
export const script = `'use strict';
(() => {
  const everyMs = 1000;
  const pulse = document.getElementById('pulse');
  let busy = false;

  function say(text) {
    if (pulse.textContent !== text) pulse.textContent = text;
    pulse.dataset.state = text;
  }

  function namedFocus(live) {
    const focused = document.activeElement;
    if (!live.contains(focused)) return undefined;
    if (focused.id !== '') return '#' + CSS.escape(focused.id);
    if (focused.tagName === 'SUMMARY') return '#' + CSS.escape(focused.parentElement.id) + ' > summary';
    const href = focused.getAttribute('href');
    return href === null ? undefined : '[href="' + CSS.escape(href) + '"]';
  }

  function isBeingFilledIn(live) {
    const focused = document.activeElement;
    return live.contains(focused) && /^(INPUT|SELECT)$/.test(focused.tagName);
  }

  async function refresh(live) {
    const reply = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (!reply.ok && reply.status !== 404) throw new Error('no page');
    const next = new DOMParser().parseFromString(await reply.text(), 'text/html').getElementById('live');
    if (next === null || isBeingFilledIn(live)) return;
    const opened = [...live.querySelectorAll('details[open]')].map((details) => details.id);
    const focus = namedFocus(live);
    live.replaceWith(next);
    for (const id of opened) document.getElementById(id)?.setAttribute('open', '');
    if (focus !== undefined) next.querySelector(focus)?.focus({ preventScroll: true });
  }

  async function look() {
    if (busy || document.hidden) return;
    busy = true;
    try {
      const live = document.getElementById('live');
      const reply = await fetch('/events');
      const { last } = await reply.json();
      if (String(last) !== live.dataset.last) await refresh(live);
      say('Connected');
    } catch {
      say('Not connected');
    } finally {
      busy = false;
    }
  }

  document.addEventListener('visibilitychange', look);
  setInterval(look, everyMs);
  look();
})();
`;
