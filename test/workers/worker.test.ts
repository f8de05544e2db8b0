import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { Miniflare, type MiniflareOptions } from 'miniflare'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { apiDescription } from '../../src/runtime/description.ts'
import { openD1 } from '../../src/sql/d1.ts'
import type { Sql } from '../../src/sql/port.ts'
import { testIssuer } from '../support/access/issuer.ts'
import { register, releaseOf } from '../support/services/builders.ts'
import { makeWorkspace } from '../support/processes/cli.ts'
import { httpReceiver } from '../support/processes/http_receiver.ts'
import { keptD1 } from '../support/databases/kept_d1.ts'
import { temporaryDatabase } from '../support/databases/postgres.ts'
import { promotedScene, watchOf } from '../support/watches/scene.ts'
import { subscribe } from '../support/services/receiver.ts'
import { expectWholeLoop } from '../support/processes/remote_loop.ts'
import { decision, ok, promote } from '../support/services/requests.ts'
import { testService } from '../support/services/service.ts'
import { d1Storage } from '../support/workers/d1_storage.ts'
import { COMPATIBILITY, workerBundle } from '../support/workers/workerd.ts'

/** Miniflare has it, but types it only together with another package of types. */
interface Scheduled {
  scheduled(options: { cron: string; scheduledTime?: Date }): Promise<{ outcome: string }>
}

const TOKEN = 's3cret'
const CONFIG = 'diff: { min_candidate_runs: 10, min_baseline_runs: 10, min_low_runs: 2 }'

let contents: string
beforeAll(async () => {
  contents = await workerBundle()
})

/** The address of the Worker as it is deployed, with these bindings. */
async function deploy(options: Partial<MiniflareOptions> = {}): Promise<string> {
  return (await (await start(options)).ready).origin
}

async function start(options: Partial<MiniflareOptions>): Promise<Miniflare> {
  const miniflare = new Miniflare({
    ...COMPATIBILITY,
    modules: [{ type: 'ESModule', path: 'index.js', contents }],
    d1Databases: { DB: 'DB' },
    bindings: { SERVICE_LOCAL_API_TOKEN: TOKEN, SERVICE_CONFIG: CONFIG },
    handleRuntimeStdio: () => {},
    ...options,
  } as MiniflareOptions)
  onTestFinished(() => miniflare.dispose())
  return miniflare
}

/** One whose ledger is an empty one from the start, and that ledger for this process. */
async function startMigrated(): Promise<{ miniflare: Miniflare; ledger: Sql }> {
  const storage = d1Storage()
  onTestFinished(storage.remove)
  await storage.migrate('DB')
  const miniflare = await start({ d1Persist: storage.folder })
  return { miniflare, ledger: openD1(keptD1(await miniflare.getD1Database('DB'))) }
}

test('the Worker is below 562 kB gzipped, and without arktype', () => {
  expect(gzipSync(contents).length).toBeLessThan(562_000)
  expect(contents).not.toContain('arktype')
})

test('its description is that of a server, with the same names of operations', async () => {
  const answer = await fetch(`${await deploy()}/openapi.json`)
  expect(await answer.json()).toEqual(JSON.parse(await apiDescription(VERSION)()))
})

const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as {
  version: string
}

describe('svc against a Worker runs the whole loop', () => {
  test('on D1', async () => expectLoop(await deploy()))

  test('on PostgreSQL through Hyperdrive', async () => {
    const hyperdrives = { HYPERDRIVE: await temporaryDatabase() }
    await expectLoop(await deploy({ d1Databases: {}, hyperdrives }))
  })

  async function expectLoop(url: string): Promise<void> {
    const laptop = makeWorkspace()
    const env = { SERVICE_URL: url, SERVICE_LOCAL_API_TOKEN: TOKEN }
    await expectWholeLoop(url, laptop, (...args) => laptop.svcWith({ env }, ...args))
  }
})

test('first requests that come at once find one migrated ledger', async () => {
  const url = await deploy()
  const headers = { authorization: `Bearer ${TOKEN}` }
  const answers = await Promise.all(
    Array.from({ length: 12 }, async () => (await fetch(`${url}/v1/releases`, { headers })).status),
  )
  expect(answers).toEqual(answers.map(() => 200))
})

describe('a decision is announced', () => {
  test('while its request is answered, by waitUntil', async () => {
    const receiver = await httpReceiver()
    const url = await deploy()
    const post = async (path: string, value: unknown): Promise<Record<string, string>> => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` }
      const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(value) })
      expect(answer.status).toBe(200)
      return (await answer.json()) as Record<string, string>
    }
    await post('/v1/webhooks', { url: receiver.url, events: ['promote.succeeded'] })
    const registration = { artifact: releaseOf(), checksum: 'a'.repeat(64) }
    const { release_id } = await post('/v1/releases', registration)
    const { action_id } = await post('/v1/promote', decision(release_id!))
    await receiver.arrived(1)
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ data: { action_id } })
  })

  test('by the cron trigger, where the request had no time for it', async () => {
    const receiver = await httpReceiver()
    const { miniflare, ledger } = await startMigrated()
    // A decision by somebody who doesn't send.
    const service = await testService({ sql: ledger })
    await subscribe(service, { url: receiver.url })
    await ok(promote(service, await register(service)))

    const worker = (await miniflare.getWorker()) as unknown as Scheduled
    expect(await worker.scheduled({ cron: '* * * * *' })).toMatchObject({ outcome: 'ok' })
    expect(receiver.received).toHaveLength(1)
  })

  test('and checks watches, and tells how they ended', async () => {
    const receiver = await httpReceiver()
    const { miniflare, ledger } = await startMigrated()
    const makeService = () => testService({ sql: ledger })
    const watched = await promotedScene(makeService, { watch: { for: '1h' } }, { url: receiver.url })
    const worker = (await miniflare.getWorker()) as unknown as Scheduled
    expect(await worker.scheduled({ cron: '* * * * *' })).toMatchObject({ outcome: 'ok' })
    // By the clock of the test it has just begun, by that of the database it is long over.
    expect(await watchOf(watched)).toMatchObject({ state: 'inconclusive', checks: 1 })
    expect(receiver.received.map(({ headers }) => headers['x-service-event'])).toEqual(['watch.inconclusive'])
  })
})

test('the trigger of a full hour keeps a checkpoint, whenever it comes to that', async () => {
  const receiver = await httpReceiver()
  const SERVICE_CONFIG = `audit: { checkpoints: '${receiver.url}' }`
  const miniflare = await start({ bindings: { SERVICE_LOCAL_API_TOKEN: TOKEN, SERVICE_CONFIG } })
  const worker = (await miniflare.getWorker()) as unknown as Scheduled
  for (const minute of ['00', '01']) {
    const scheduledTime = new Date(`2026-08-01T12:${minute}:00Z`)
    expect(await worker.scheduled({ cron: '* * * * *', scheduledTime })).toMatchObject({ outcome: 'ok' })
  }
  expect(receiver.received.map(({ body }) => body.split('/')[0])).toEqual(['release-governance'])
})

test('a workload of an identity provider is known by its token, in many requests at once, also while the provider is down', async () => {
  const issuer = await testIssuer(Date.now)
  const roles = [{ role: 'read', claims: { repository: 'acme/bot' } }]
  const auth = { oidc: [{ issuer: issuer.url, audience: 'releases', roles }] }
  const url = await deploy({ bindings: { SERVICE_CONFIG: JSON.stringify({ auth }) } })
  const ask = async (claims: Record<string, unknown>, header = {}): Promise<number> => {
    const authorization = `Bearer ${issuer.token(claims, header)}`
    return (await fetch(`${url}/v1/releases`, { headers: { authorization } })).status
  }
  const mine = { repository: 'acme/bot' }
  expect(await Promise.all(Array.from({ length: 8 }, () => ask(mine)))).toEqual(Array(8).fill(200))
  const hourAgo = Math.floor(Date.now() / 1000) - 3600
  const wrong = [{ aud: 'other' }, { exp: hourAgo }, { nbf: hourAgo + 7200 }, { iss: 'https://evil.example' }]
  for (const claims of wrong) expect([claims, await ask({ ...mine, ...claims })]).toEqual([claims, 401])
  expect(await ask({ repository: 'evil/bot' })).toBe(403)
  issuer.state = 'down'
  expect(await ask(mine)).toBe(200)
})

test('what D1 can not hold is refused as too large', async () => {
  const url = await deploy()
  const artifact = { ...releaseOf(), notes: 'x'.repeat(2_200_000) }
  const answer = await fetch(`${url}/v1/releases`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ artifact, checksum: '0'.repeat(64) }),
  })
  expect([answer.status, await answer.json()]).toEqual([
    413,
    { detail: 'This is more than the ledger can store: D1 holds no text above 2 MB.' },
  ])
})

test('without a token anybody may read and nobody may write', async () => {
  const url = await deploy({ bindings: {} })
  expect(await (await fetch(`${url}/health`)).json()).toEqual({
    status: 'ok',
    mutation_auth: 'loopback',
    read_auth: 'open',
  })
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': '127.0.0.1' }
  const written = await fetch(`${url}/v1/policy`, { method: 'PUT', headers, body: '{}' })
  expect(written.status).toBe(403)
})

test.each<[string, Partial<MiniflareOptions>, RegExp]>([
  ['an unreadable SERVICE_CONFIG', { bindings: { SERVICE_CONFIG: 'diff: [' } }, /^service\.yaml, line 1/],
  ['a wrong value in it', { bindings: { SERVICE_CONFIG: 'diff: 5' } }, /^service\.yaml: .*diff/],
  ['no ledger', { d1Databases: {} }, /^There is no ledger: bind a D1 database as DB/],
  [
    'a PostgreSQL that is away',
    { hyperdrives: { HYPERDRIVE: 'postgres://u:hidden@127.0.0.1:1/db' } },
    /^The ledger is not available/,
  ],
])('with %s every answer says so, with 503', async (_what, options, message) => {
  const url = await deploy(options)
  for (const path of ['/v1/workspace', '/ready']) {
    const answer = await fetch(url + path)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    const { detail } = (await answer.json()) as { detail: string }
    expect(detail).toMatch(message)
    expect(detail).not.toContain('hidden')
  }
})
