import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Miniflare } from 'miniflare'
import { publint } from 'publint'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { makeWorkspace } from '../support/processes/cli.ts'
import { COMPATIBILITY } from '../support/workers/workerd.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'
import { type Installed, filesOf, installPackage } from '../support/processes/package.ts'

let project: Installed

beforeAll(async () => {
  project = await installPackage()
})

const CONSUMER = `
import { ApiError, EventQueue, ServiceClient, isApiError, type Outcome, type RunEvent } from 'release-governance/sdk'

export { default as worker } from 'release-governance/worker'

const client = new ServiceClient('http://127.0.0.1:8765', { token: 'x' })

export async function mayPromote(release_id: string): Promise<boolean> {
  const outcome: Outcome = await client.mayPromote({ release_id, environment: 'prod', window: '7d', reason: 'ci' })
  return outcome.policy.passed
}

export function reasonsOf(error: unknown): readonly string[] {
  if (isApiError(error, 409) && 'outcome' in error.detail) return error.detail.outcome.policy.reasons
  if (isApiError(error, 422)) return error.detail.map(({ loc, msg }) => loc.join('.') + msg)
  return error instanceof ApiError ? [error.message] : []
}

export async function log(): Promise<void> {
  const defaults = { agent_id: 'a', release_id: 'r', environment: 'prod', tenant_id: 't' }
  await using events = new EventQueue(client, { defaults })
  const usage: RunEvent['usage'] = { model: { provider: 'p', model: 'm', input_tokens: 1, output_tokens: 1 } }
  const id: string = events.add({ task_id: 't', usage })
  // @ts-expect-error task_id is in neither the event nor the defaults
  events.add({ usage })
  // @ts-expect-error a promotion needs a reason
  await client.promote({ release_id: id, environment: 'prod', window: '7d' })
  for await (const event of client.exportRuns({ release_id: id, window: '1h' })) void event.usage.model.input_tokens
}
`

test('the command works where it is installed', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT_PATH, 'package.json'), 'utf8')) as { version: string }
  expect(project.run('svc', '--version')).toBe(`${version}\n`)
  const shown = project.run('svc', 'demo')
  expect(shown).toContain('The good release went live, the bad one was blocked')
  expect(shown).toContain('audit_chain: 4 rows verified')
})

test('init imports the prices that ship with it', () => {
  const { folder } = makeWorkspace()
  project.run('sh', '-c', `cd "${folder}" && svc init`)
  expect(project.run('sh', '-c', `cd "${folder}" && svc pricing check`)).toContain('openai')
})

test('serve answers, from a thread of its own for SQLite, with the pages', async () => {
  const { folder } = makeWorkspace({})
  const script = join(project.folder, 'serve.mjs')
  writeFileSync(
    script,
    `import { spawn } from 'node:child_process'
     import { once } from 'node:events'
     const child = spawn('svc', ['serve', '--port', '0', '--log', 'off'], { cwd: ${JSON.stringify(folder)} })
     child.stderr.pipe(process.stderr)
     const [line] = await once(child.stdout, 'data')
     const url = /http:\\S+/.exec(line)[0]
     const answers = {}
     for (const path of ['/', '/ready', '/docs', '/docs/swagger-ui.css', '/openapi.json']) answers[path] = (await fetch(url + path)).status
     child.kill()
     const [code] = await once(child, 'exit')
     console.log(JSON.stringify({ answers, code }))`,
  )
  expect(JSON.parse(project.run('node', script))).toEqual({
    answers: { '/': 200, '/ready': 200, '/docs': 200, '/docs/swagger-ui.css': 200, '/openapi.json': 200 },
    code: 0,
  })
})

test('the Worker can be re-exported, and serves from D1', async () => {
  const contents = readFileSync(join(project.package, 'dist/worker/index.js'), 'utf8')
  const worker = new Miniflare({
    ...COMPATIBILITY,
    modules: [
      { type: 'ESModule', path: 'own.js', contents: `export { default } from './worker.js'` },
      { type: 'ESModule', path: 'worker.js', contents },
    ],
    d1Databases: { DB: 'ledger' },
  })
  onTestFinished(() => worker.dispose())
  const answer = await worker.dispatchFetch('http://worker.test/v1/releases')
  expect([answer.status, await answer.json()]).toEqual([200, { releases: [] }])
})

test('everything that it exports can be imported', async () => {
  const { exports } = JSON.parse(readFileSync(join(project.package, 'package.json'), 'utf8')) as {
    exports: Record<string, string | Record<string, string>>
  }
  for (const [name, target] of Object.entries(exports)) {
    for (const file of typeof target === 'string' ? [target] : Object.values(target)) {
      if (!file.includes('*')) expect(existsSync(join(project.package, file)), `${name}: ${file}`).toBe(true)
    }
  }
  const schema = project.run(
    'node',
    '-p',
    `require('release-governance/schemas/v1/policy.schema.json').title`,
  )
  expect(schema.trim()).toBe('Policy')
  const names = project.run(
    'node',
    '-e',
    `import('release-governance/sdk').then(sdk => console.log(Object.keys(sdk).join()))`,
  )
  const source = await import('../../src/sdk/index.ts')
  expect(names.trim().split(',').sort()).toEqual(Object.keys(source).sort())
})

test.each([
  ['with the types of a browser or Worker', ['ES2022', 'DOM', 'DOM.Iterable'], []],
  ['with the types of Node', ['ES2024'], ['node']],
])('a strict TypeScript program checks, %s', (name, lib, types) => {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: 'ES2022',
    module: 'nodenext',
    lib,
    types,
    typeRoots: [join(ROOT_PATH, 'node_modules/@types')],
  }
  const config = `tsconfig.${name.length}.json`
  writeFileSync(join(project.folder, 'consumer.mts'), CONSUMER)
  writeFileSync(join(project.folder, config), JSON.stringify({ compilerOptions, files: ['consumer.mts'] }))
  expect(project.run(join(ROOT_PATH, 'node_modules/.bin/tsc'), '-p', config)).toBe('')
})

test('it is what a package should be: publint is content, it is small, and holds no sources', async () => {
  const { messages } = await publint({ pkgDir: project.package, strict: true, pack: false })
  expect(messages).toEqual([])
  expect(project.bytes).toBeLessThan(9_800_000)
  const files = filesOf(project.package)
  expect(
    files.filter(file => file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.startsWith('examples/')),
  ).toEqual([])
  expect(files.filter(file => /^(?:src|handlers|test|node_modules)\//.test(file))).toEqual([])
  const code = files.filter(file => file.startsWith('dist/cli') || file.startsWith('dist/sdk'))
  for (const file of code) {
    const text = readFileSync(join(project.package, file), 'utf8')
    expect(text, file).not.toContain(ROOT_PATH)
    expect(text, file).not.toMatch(/new URL\(["'`][^"'`]*\.ts["'`]/)
  }
})
