import { readFile, readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '../base/errors.ts'
import { similarNames } from '../base/text.ts'
import { ROOT } from '../runtime/root.ts'
import type { Invocation } from './arguments/command.ts'
import { guess } from './arguments/meant.ts'

const FOLDER = fileURLToPath(new URL('docs/', ROOT))

/** Prints the page that is named by its path below docs/ or by the end of it, without `.md`; without a name it lists them. */
export async function docs({ args, io }: Invocation): Promise<number> {
  const files = await readdir(FOLDER, { recursive: true }).catch(() => [])
  const pages = files
    .filter(file => file.endsWith('.md'))
    .map(file => file.slice(0, -'.md'.length).replaceAll('\\', '/'))
    .toSorted((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
  const [name] = args
  if (name === undefined) {
    io.out(pages.map(page => `${page}\n`).join(''))
    return 0
  }
  const wanted = name.replace(/^docs\//, '').replace(/\.md$/, '')
  const page = pages.find(text => text === wanted) ?? pages.find(text => text.endsWith(`/${wanted}`))
  if (page === undefined) {
    const hint = guess(similarNames(wanted, pages)) || '`svc docs` lists the pages.'
    throw new ServiceError(404, `There is no page ${name}. ${hint}`)
  }
  io.out(await readFile(`${FOLDER}${page}.md`, 'utf8'))
  return 0
}
