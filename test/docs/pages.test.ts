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
    'quickstart.md': 'sh',
    'policy.md': 'sh',
    'approvals.md': 'sh',
    'scores.md': 'sh',
    'releases.md': 'sh',
    'watch.md': 'sh',
    'operating.md': 'sh',
    'on-call.md': 'sh',
    'audit.md': 'sh',
    'access.md': 'sh',
  } as const
  const known = (page: string, language: string): boolean =>
    shells[page as keyof typeof shells] === language ||
    (['operating.md', 'approvals.md'].includes(page) && language === 'yaml') ||
    (page === 'project/checksum.md' && ['sh', 'py'].includes(language)) ||
    // Made of examples that test/unit/tools/reference.test.ts holds to their models.
    (dirname(page) === 'reference/files' && ['yaml', 'json'].includes(language)) ||
    (page === 'sdk.md' && ['js', 'js worker'].includes(language)) ||
    (page === 'rollouts.md' && language === 'js') ||
    // Run by test/cli/features/apply/apply.test.ts.
    (page === 'policy.md' && language === 'yaml') ||
    // Run by test/docs/sources.test.ts and test/docs/python.test.ts; `sh` installs, or sets what a test sets.
    (page === 'runs.md' && ['js openai', 'py', 'sh'].includes(language)) ||
    (page === 'traces.md' && ['sh', 'yaml'].includes(language)) ||
    // Run by test/unit/models/sign_in.test.ts and test/cli/features/identity/login.test.ts.
    (page === 'access.md' && ['yaml oidc', 'yaml sign-in', 'console'].includes(language))
  const elsewhere = new Set([
    'project/clients.md',
    'ci.md',
    'webhooks.md',
    'production.md',
    'deploy.md',
    '../README.md',
  ])
  const unknown = pages
    .filter(page => !elsewhere.has(page))
    .flatMap(page =>
      [...readFileSync(join(DOCS, page), 'utf8').matchAll(/^```([^\n]+)$/gm)]
        .map(([, language]) => language!)
        .filter(language => !known(page, language))
        .map(language => `${page}: ${language}`),
    )
  expect(unknown).toEqual([])
})
