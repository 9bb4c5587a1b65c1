/**
 * What the browser runs. It asks once a second whether anything happened, and if so takes over the changed part of the same
 * page. Opened details and the focus stay. Without it everything works by reloading.
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
      say('Live');
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
