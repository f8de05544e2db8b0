import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../../src/base/numbers.ts'
import { LEASE_MS } from '../../../src/ledger/webhooks/outbox.ts'
import { rowsOf, sql } from '../../../src/sql/port.ts'
import { startKillable } from '../../support/databases/servers/cluster.ts'
import { type RunningService, makeWorkspace, startService } from '../../support/processes/cli.ts'
import { httpReceiver } from '../../support/processes/http_receiver.ts'
import { scaled } from '../../support/scale.ts'
import { PRICES } from '../../support/services/builders.ts'
import { drainOutbox } from '../../support/services/drain_outbox.ts'
import { type Place, call, open } from '../programs/support.ts'
import { registered } from '../registered.ts'
import { expectSound } from '../verify.ts'
import { type Answers, startLoad } from './load.ts'

const KILLS = scaled(1, 110)
/** PostgreSQL is killed in short by kill.test.ts and postgres_failover.test.ts. */
const LONG = scaled(false, true)
const SEED = Number(process.env.SEED ?? 1)
const LAX = { diff: { min_candidate_runs: 0, min_baseline_runs: 0, min_low_runs: 0 } }

test('a server on SQLite that keeps being killed loses nothing that it answered', async () => {
  const workspace = makeWorkspace(LAX)
  const place = { folder: workspace.folder }
  const { releases, announced } = await prepare(place)
  const { answers, kills } = await killServers(() => startService(workspace), releases)
  await expectKept(place, answers, announced)
  process.stdout.write(`SQLite, server: ${kills} kills, ${shown(answers)}, SEED=${SEED}\n`)
})

test.runIf(LONG)(
  'a server on PostgreSQL that keeps being killed loses nothing that it answered',
  async () => {
    const database = await startKillable()
    const workspace = makeWorkspace(LAX)
    const place = { folder: workspace.folder, databaseUrl: database.url }
    const { releases, announced } = await prepare(place)
    const env = { SERVICE_DATABASE_URL: database.url }
    const { answers, kills } = await killServers(() => startService(workspace, { env }), releases)
    await expectKept(place, answers, announced)
    process.stdout.write(`PostgreSQL, server: ${kills} kills, ${shown(answers)}, SEED=${SEED}\n`)
  },
)

test.runIf(LONG)('a PostgreSQL that keeps being killed loses nothing, and its server goes on', async () => {
  const database = await startKillable()
  const workspace = makeWorkspace(LAX)
  const place = { folder: workspace.folder, databaseUrl: database.url }
  const { releases, announced } = await prepare(place)
  const server = await startService(workspace, { env: { SERVICE_DATABASE_URL: database.url } })
  onTestFinished(() => void server.stop('SIGKILL'))
  const random = seededRandom(SEED)
  const load = startLoad(() => server.url, releases)
  for (let kill = 0; kill < KILLS; kill++) {
    await load.more(1 + Math.floor(random() * 8))
    await new Promise(resolve => setTimeout(resolve, random() * 60))
    await database.killAndRestart()
  }
  await load.more(4)
  await load.stop()
  await server.stop()
  await expectKept(place, load.answers, announced)
  process.stdout.write(`PostgreSQL, database: ${KILLS} kills, ${shown(load.answers)}, SEED=${SEED}\n`)
})

async function killServers(
  startOne: () => Promise<RunningService>,
  releases: readonly string[],
): Promise<{ answers: Answers; kills: number }> {
  const random = seededRandom(SEED)
  let server = await startOne()
  const load = startLoad(() => server.url, releases)
  onTestFinished(async () => {
    await server.stop('SIGKILL').catch(() => {})
  })
  for (let kill = 0; kill < KILLS; kill++) {
    await load.more(1 + Math.floor(random() * 8))
    await new Promise(resolve => setTimeout(resolve, random() * 60))
    const { signal } = await server.stop('SIGKILL')
    expect(signal).toBe('SIGKILL')
    server = await startOne()
  }
  await load.more(4)
  await load.stop()
  await server.stop()
  return { answers: load.answers, kills: KILLS }
}

async function prepare(place: Place): Promise<{ releases: string[]; announced: () => Set<string> }> {
  const receiver = await httpReceiver()
  const services = await open(place)
  await call(services, 'POST /v1/pricing', { table: PRICES })
  await call(services, 'PUT /v1/policy', { require_high_diff_confidence: false })
  const hook = { url: receiver.url, events: ['promote.succeeded', 'promote.blocked'] }
  await call(services, 'POST /v1/webhooks', hook)
  const releases = await registered(services, ['1', '2'])
  await services.sql.close()
  const actionOf = ({ body }: { body: string }): string =>
    (JSON.parse(body) as { data: { action_id: string } }).data.action_id
  return { releases, announced: () => new Set(receiver.received.map(actionOf)) }
}

/** All that was acknowledged is there, the ledger is sound, and each decision is announced. */
async function expectKept(place: Place, answers: Answers, announced: () => Set<string>): Promise<void> {
  const services = await open(place)
  if (services.sql.dialect === 'sqlite') {
    expect(await rowsOf(services.sql, sql`PRAGMA integrity_check`)).toEqual([{ integrity_check: 'ok' }])
  }
  const stored = new Set(
    (await rowsOf(services.sql, sql`SELECT run_id FROM run_events`)).map(row => String(row.run_id)),
  )
  expect(answers.runs.filter(id => !stored.has(id))).toEqual([])
  const actions = (await expectSound(services.sql)).map(action => action.action_id)
  const recorded = new Set(actions)
  expect(answers.actions.filter(id => !recorded.has(id))).toEqual([])
  expect(answers.actions.length).toBeGreaterThan(0)
  expect([...answers.statuses.keys()].filter(status => ![0, 200, 409, 503].includes(status))).toEqual([])
  // Leases of the dead are over by then.
  const later = () => ({ text: String(Date.now() + LEASE_MS), params: [] })
  const db = Object.defineProperty({ ...services.sql }, 'clock', { get: later })
  await drainOutbox({ ...services, sql: db }, { forMs: 600_000 })
  expect([...announced()].toSorted()).toEqual(actions.toSorted())
  await services.sql.close()
}

function shown({ runs, actions, statuses }: Answers): string {
  const answers = [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')
  return `${runs.length} events and ${actions.length} decisions acknowledged, none lost; answers ${answers}`
}
