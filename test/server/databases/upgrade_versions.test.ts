import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { openLibsql } from '../../../src/sql/libsql/libsql.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import type { Migration, Sql } from '../../../src/sql/port.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'
import {
  type Version,
  type Written,
  checkOut,
  eventOf,
  versionsInHistory,
  write,
} from '../../support/databases/old/written.ts'
import { copyToD1 } from '../../support/databases/old/ledger.ts'
import { emptyDatabase } from '../../support/databases/postgres.ts'
import { ok } from '../../support/services/requests.ts'
import { type TestService, testService } from '../../support/services/service.ts'
import { freshD1 } from '../../support/workers/fresh_d1.ts'

/** The history, and a minute for each version, are there for the proof alone. */
const versions = process.env.PROVE === undefined ? [] : versionsInHistory()
const named = versions.map(
  version => [version.migrations.at(-1)!, version.commit.slice(0, 7), version] as const,
)

const openFreshD1 = freshD1(versions.length)

describe.runIf(versions.length > 0).each(named)('schema %i of commit %s', (_schema, _commit, version) => {
  test('a SQLite file that it wrote is upgraded with all it holds', async () => {
    const { workspace, written } = writtenBy(version, {})
    await expectUpgraded(await fileOf(workspace), written)
  })

  test('a D1 database with what it wrote is upgraded with all it holds', async () => {
    const { workspace, written } = writtenBy(version, {})
    const file = await fileOf(workspace)
    onTestFinished(() => file.close())
    const db = await openFreshD1()
    const had = ({ version: number }: Migration): boolean => version.migrations.includes(number)
    await copyToD1(file, db, loadMigrations('sqlite').filter(had))
    await expectUpgraded(db, written)
  })

  test('a PostgreSQL database that it wrote is upgraded with all it holds', async () => {
    const url = await emptyDatabase()
    const { written } = writtenBy(version, { SERVICE_DATABASE_URL: url })
    await expectUpgraded(openPostgres({ url: `${url}?max=4` }), written)
  })

  test('its server goes on beside a newer one', async () => {
    const url = await emptyDatabase()
    const { program, workspace, written } = writtenBy(version, { SERVICE_DATABASE_URL: url })
    const old = await serve(program, workspace, { SERVICE_DATABASE_URL: url })
    const db = openPostgres({ url: `${url}?max=4` })
    onTestFinished(() => db.close())
    await migrate(db, loadMigrations(db.dialect), Date.now)
    const service = await serviceOn(db)
    const { baseline, candidate } = written
    for (const [turn, release] of [candidate, baseline, candidate].entries()) {
      const [mine, its] = [
        eventOf(release, `new-${turn}`, Date.now()),
        eventOf(release, `old-${turn}`, Date.now()),
      ]
      await ok(service.call('POST /v1/events', { body: { events: [mine] } }))
      expect(await old('POST', '/v1/events', { events: [its] })).toMatchObject({ inserted: 1 })
      const body = { release_id: release, environment: 'prod', window: '7d', reason: `turn ${turn}` }
      const { action_id } = (await old('POST', '/v1/rollback', body)) as { action_id: string }
      expect(await trailOf(service)).toContain(action_id)
      await ok(service.call('POST /v1/rollback', { body }))
      expect(JSON.stringify(await old('GET', '/v1/promoted?environment=prod'))).toContain(release)
    }
    await expectSound(service)
    expect(await runsOf(service, candidate)).toEqual(
      expect.arrayContaining(['old-0', 'new-0', 'old-2', 'new-2']),
    )
  })
})

test.runIf(process.env.PROVE !== undefined)('each schema between 0.1.0 and this one is among them', () => {
  const last = loadMigrations('sqlite').map(({ version }) => version)
  expect(versions.at(-1)?.migrations).toEqual(last)
  expect(versions.map(({ migrations }) => migrations.join())).toContain('1,2,3,4,5,6,7,8')
})

function fileOf(workspace: string): Promise<Sql> {
  const path = join(workspace, '.service/service.db')
  return openLibsql({ path, busyTimeoutMs: 5000, lockRetryMs: 30_000 })
}

/** A ledger that a version made, and the program that did. */
function writtenBy(version: Version, env: Readonly<Record<string, string>>) {
  const folder = temporaryFolder()
  onTestFinished(() => rmSync(join(folder, 'program'), { recursive: true, force: true }))
  const [program, workspace] = [join(folder, 'program'), join(folder, 'workspace')]
  checkOut(version, program)
  return { program, workspace, written: write(program, workspace, env, Date.now()) }
}

/** A version's server: what sends it a request, until the test is over. */
async function serve(program: string, cwd: string, env: Readonly<Record<string, string>>) {
  const args = [join(program, 'bin/svc.cjs'), 'serve', '--port', '0']
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill()
    await ended
  })
  const reader = createInterface({ input: child.stdout })
  const [line] = (await once(reader, 'line')) as [string]
  const url = /http:\/\/[^\s"]+/.exec(line)![0]
  return async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await response.text()
    expect([response.status, answer]).toEqual([expect.toBeOneOf([200, 201]), answer])
    return JSON.parse(answer)
  }
}

async function expectUpgraded(db: Sql, { baseline, candidate, runs }: Written): Promise<void> {
  onTestFinished(() => db.close())
  await migrate(db, loadMigrations(db.dialect), Date.now)
  const service = await serviceOn(db)
  expect(
    (await Promise.all([baseline, candidate].map(each => runsOf(service, each)))).flat().toSorted(),
  ).toEqual(runs.toSorted())
  await expectSound(service)
  const body = { release_id: candidate, environment: 'prod', window: '7d', reason: 'goes on' }
  await ok(service.call('POST /v1/rollback', { body }))
  await expectSound(service)
}

async function serviceOn(db: Sql): Promise<TestService> {
  const service = await testService({
    sql: db,
    workspace: { diff: { min_candidate_runs: 0, min_baseline_runs: 0, min_low_runs: 0 } },
  })
  service.clock.now = Date.now()
  return service
}

/** The deep doctor finds nothing, and every decision replays with its verdict. */
async function expectSound(service: TestService): Promise<void> {
  service.clock.now = Date.now()
  const { checks } = await ok(service.call('GET /v1/doctor', { query: { deep: 'true' } }))
  expect(checks.filter((check: { ok: boolean }) => !check.ok)).toEqual([])
  for (const action of await trailOf(service)) {
    expect(await ok(service.call(`GET /v1/actions/${action}/explain` as 'GET /v1/actions'))).toMatchObject({
      equal: true,
    })
  }
}

async function trailOf(service: TestService): Promise<string[]> {
  const { actions } = await ok(service.call('GET /v1/actions', { query: { limit: 100 } }))
  return actions.map(({ action_id }: { action_id: string }) => action_id)
}

async function runsOf(service: TestService, release_id: string): Promise<string[]> {
  const query = { release_id, window: '1d', environment: 'prod' }
  const { text } = await service.call('GET /v1/runs/export', { query })
  return text
    .split('\n')
    .flatMap(line => (line === '' ? [] : (JSON.parse(line) as { run_id: string }).run_id))
}
