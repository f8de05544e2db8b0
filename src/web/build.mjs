// Collects what the pages need in dist/web: `npm ci` runs this, so that a checkout serves them at once.
import { copyFile, mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const from = name => fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))
const to = name => fileURLToPath(new URL(`../../dist/web/docs/${name}`, import.meta.url))

await mkdir(to('.'), { recursive: true })
for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css']) await copyFile(from(name), to(name))
for (const name of ['docs.js', 'docs.css']) {
  await copyFile(new URL(`docs/${name}`, import.meta.url), to(name))
}
