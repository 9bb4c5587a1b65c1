import type { Page } from './pages.js';

/** package.json with every page in its list: npm links those it finds there, and goes by no folder. */
export function withManPages(manifest: string, pages: readonly Page[]): string {
  const man = pages.map(({ file }) => `dist/man/${file}`).sort();
  return `${JSON.stringify({ ...JSON.parse(manifest), man }, null, 2)}\n`;
}
