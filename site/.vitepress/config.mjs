import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { defineConfig } from 'vitepress'

/** Where files outside docs/ are shown, such as https://github.com/OWNER/REPOSITORY/blob/main; without it they are no links. */
const files = process.env.DOCS_FILES

const index = readFileSync(new URL('../../docs/README.md', import.meta.url), 'utf8')

export default defineConfig({
  title: 'Release Governance Service',
  description:
    'Decides whether a release of an AI agent may replace the one that is live, and can prove why.',
  // A copy of docs/: what pages import has to be found from where they lie.
  srcDir: 'pages',
  outDir: 'dist',
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: true,
  // The one that a page is about, on the reader's machine.
  ignoreDeadLinks: 'localhostLinks',
  themeConfig: { search: { provider: 'local' }, sidebar: sidebarOf(index), outline: [2, 3] },
  vite: { esbuild: { tsconfigRaw: {} } },
  markdown: {
    // A tag in a page is a word in angle brackets.
    html: false,
    config: markdown => markdown.core.ruler.push('outside', state => leadOutside(state)),
  },
})

/** Links to files outside docs/ lead to where those are shown. */
function leadOutside({ tokens, env }) {
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    const href = token.type === 'link_open' ? token.attrGet('href') : null
    if (href === null || /^(?:[a-z]+:|#)/.test(href)) continue
    const path = posix.join(posix.dirname(env.relativePath), href)
    if (path.startsWith('../')) token.attrSet('href', files === undefined ? '#' : `${files}/${path.slice(3)}`)
    else if (!/\.md(?:#|$)/.test(path))
      token.attrSet('href', files === undefined ? '#' : `${files}/docs/${path}`)
  }
}

/** The parts of docs/README.md, with the pages that each names first. */
function sidebarOf(text) {
  const seen = new Set()
  return text
    .split(/^## /m)
    .slice(1)
    .map(section => ({
      text: section.split('\n', 1)[0],
      collapsed: false,
      items: Array.from(section.matchAll(/\[([^\]]+)\]\(([\w/-]+)\.md\)/g), ([, name, page]) => ({
        text: name,
        link: `/${page}`,
      })).filter(({ link }) => !seen.has(link) && seen.add(link)),
    }))
}
