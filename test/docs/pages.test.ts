import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../src/runtime/root.ts'

const DOCS = join(ROOT_PATH, 'docs')

const pages = ['../README.md', ...readdirSync(DOCS, { recursive: true }).map(String)].filter(name =>
  name.endsWith('.md'),
)

test.each(pages)('%s links to what is there', page => {
  const links = [...readFileSync(join(DOCS, page), 'utf8').matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(
    ([, link]) => link!,
  )
  const broken = links.filter(link => !/^https?:/.test(link) && !existsSync(join(DOCS, dirname(page), link)))
  expect(broken).toEqual([])
})

test('the pages have no snippet that nobody runs', () => {
  const shells = {
    'from-pull-request-to-production.md': 'sh',
    'quickstart.md': 'sh',
    'policy.md': 'sh',
    'scores.md': 'sh',
    'capabilities.md': 'sh',
    'retirements.md': 'sh',
    'watch.md': 'sh',
    'operating.md': 'sh',
    'when-it-blocks.md': 'sh',
    'proofs.md': 'sh',
    'security.md': 'sh',
  } as const
  const known = (page: string, language: string): boolean =>
    shells[page as keyof typeof shells] === language ||
    (['operating.md', 'security.md'].includes(page) && language === 'yaml') ||
    (page === 'checksum.md' && ['sh', 'py'].includes(language)) ||
    // Made of examples that test/unit/tools/reference.test.ts holds to their models.
    (dirname(page) === 'reference/files' && ['yaml', 'json'].includes(language)) ||
    (page === 'sdk.md' && ['js', 'js worker'].includes(language)) ||
    (page === 'rollouts.md' && language === 'js') ||
    // Run by test/cli/features/apply/apply.test.ts.
    (page === 'as-code.md' && language === 'yaml') ||
    // Run by test/unit/models/sign_in.test.ts and test/cli/features/identity/login.test.ts.
    (page === 'sign-in.md' && ['yaml', 'console'].includes(language))
  const elsewhere = new Set([
    'checksum.md',
    'ci.md',
    'kubernetes.md',
    'webhooks.md',
    'databases.md',
    'production.md',
    'deploy.md',
    'workers.md',
    '../README.md',
  ])
  const unknown = pages
    .filter(page => !elsewhere.has(page) && dirname(page) !== 'sources')
    .flatMap(page =>
      [...readFileSync(join(DOCS, page), 'utf8').matchAll(/^```([^\n]+)$/gm)]
        .map(([, language]) => language!)
        .filter(language => !known(page, language))
        .map(language => `${page}: ${language}`),
    )
  expect(unknown).toEqual([])
})
