/** Text keeps a contrast of 4.5 or more to what it stands on. */
export const style = `
:root {
  color-scheme: light; --page: #f4f6f8; --ink: #17202b; --dim: #52606f; --line: #d5dbe2; --edge: #78838f; --link: #0a55a3;
  --good: #14592f; --good-bg: #dff3e6; --bad: #98191f; --bad-bg: #fbe5e5; --wait: #6e4700; --wait-bg: #fdeecb;
}
*, *::before, *::after { box-sizing: border-box; }
html { font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0; background: var(--page); color: var(--ink); overflow-wrap: anywhere; }
main { max-width: 76rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
h1 { font-size: 1.4rem; margin: 0 0 .75rem; }
h2 { font-size: 1.05rem; }
p { margin: .35rem 0; }
pre { white-space: pre-wrap; }
dt, .hint, .under, footer, caption, thead { color: var(--dim); font-size: .875rem; }
dd { margin: 0; }
label { display: block; font-weight: 600; }
input, button { font: inherit; width: 100%; min-height: 2.5rem; padding: .4rem .75rem; border: 1px solid var(--edge); border-radius: 8px; background: #fff; color: var(--ink); }
button { margin-top: .625rem; background: var(--link); color: #fff; font-weight: 600; cursor: pointer; }
button.quiet { background: transparent; color: var(--ink); }
footer { padding: 1rem; text-align: center; }
.ribbon { background: var(--wait-bg); color: var(--wait); text-align: center; padding: .4rem 1rem; }
.panel { max-width: 29rem; margin: 0 auto; padding: 1.5rem; background: #fff; border: 1px solid var(--line); border-radius: 14px; }
.amount { font-size: 2rem; font-weight: 650; }
.field { margin: 0 0 1rem; }
input[aria-invalid=true] { border-color: var(--bad); }
.error { color: var(--bad); font-size: .875rem; }
.notice { margin: 1rem 0 0; padding: .75rem 1rem; border-radius: 10px; background: var(--page); }
.notice.good, .is-approved { background: var(--good-bg); color: var(--good); }
.notice.bad, .is-declined, .is-error { background: var(--bad-bg); color: var(--bad); }
.notice.wait, .is-processing, .is-unknown { background: var(--wait-bg); color: var(--wait); }
.status { white-space: nowrap; padding: .05rem .6rem; border-radius: 999px; font-size: .875rem; font-weight: 600; }
[hidden] { display: none; }
.under { display: block; }
.search { max-width: 29rem; }
.facts div { display: flex; flex-wrap: wrap; gap: 0 1rem; }
.facts dt { flex: 0 0 min(12rem, 100%); }
.panel .facts dt { flex-basis: 7rem; }
.scroll { overflow-x: auto; }
table { width: 100%; border-spacing: 0; background: #fff; border: 1px solid var(--line); }
caption { text-align: left; background: var(--page); }
th, td { text-align: left; vertical-align: top; padding: .6rem .9rem; border-top: 1px solid var(--line); overflow-wrap: break-word; }
time { white-space: nowrap; }
.paging { display: flex; gap: 1.25rem; padding: .9rem 0; }
.timeline { list-style: none; margin: 0; padding: 0; }
.timeline li { padding: .75rem 0; border-top: 1px solid var(--line); }
`;

/** Posts the one form of a page that asks for it. */
export const sendScript = `'use strict';
(() => {
  const form = document.querySelector('form[data-send]');
  if (form) setTimeout(() => form.submit(), Number(form.dataset.send));
})();
`;
