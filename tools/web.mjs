// Collects what the pages need in dist/web.
import { copyFile, mkdir } from 'node:fs/promises'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = name => fileURLToPath(new URL(`../${name}`, import.meta.url))
const from = name => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))
const to = name => root(`dist/web/docs/${name}`)

// The same pages whoever builds them: a test runner sets this to `test`, and Vite would build for development then.
env.NODE_ENV = 'production'

await build({
  configFile: false,
  root: root('src/web'),
  // Relative, so that the pages work under whatever prefix a proxy puts them.
  base: './',
  logLevel: 'warn',
  plugins: [
    {
      name: 'preload',
      // The first file waits for no other: Vite's own preloads come with a script of 1 kB that asks each time.
      load: id =>
        id === '\0vite/preload-helper.js' ? 'export const __vitePreload = load => load()' : undefined,
    },
  ],
  // `h(type, props, child)` is smaller than `jsx(type, { children })`, a thousand times over.
  oxc: {
    jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' },
    jsxInject: `import { Fragment, h } from 'preact'`,
  },
  build: {
    outDir: root('dist/web'),
    emptyOutDir: true,
    target: 'es2023',
    // What knows Map.groupBy() knows light-dark() too, give or take months: others would get every colour twice.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The content security policy knows no data: URL, and no script in the page.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    // Nothing here does anything when it is read.
    rolldownOptions: {
      treeshake: { propertyReadSideEffects: false },
      // What begins and shows the board, what only other pages have in common, and each of these: few files compress best.
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', test: /src\/web\/(?:app\/main|ui\/)/, priority: 1 },
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
    },
  },
})

await mkdir(to('.'), { recursive: true })
for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css']) await copyFile(from(name), to(name))
for (const name of ['docs.js', 'docs.css']) await copyFile(root(`src/web/docs/${name}`), to(name))
