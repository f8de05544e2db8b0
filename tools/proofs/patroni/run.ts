import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { FEATURES } from '../../../src/entry/features.ts'
import { examine } from '../../../src/ledger/doctor/doctor.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { type Sql, rowsOf, sql } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { benchEvent, benchRelease, benchServices } from '../../../bench/ledger.ts'
import { NotHere } from '../packages.ts'
import { withService } from '../service.ts'
import { FAULTS, type PatroniCluster, startPatroni } from './cluster.ts'

/**
 * Patroni with three nodes, whose leader is killed, paused and partitioned while events and decisions come in:
 * `npm run prove -- patroni [--rounds 50]`.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } })
const ROUNDS = Number(values.rounds)
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const folder = mkdtempSync(join(tmpdir(), 'svc-patroni-'))
let cluster: PatroniCluster | undefined
try {
  cluster = await startPatroni(folder)
  await cluster.whole()
  process.exitCode = await prove(cluster)
} catch (error) {
  if (!(error instanceof NotHere)) throw error
  say(`could not be run: ${error.message}`)
  process.exitCode = 1
} finally {
  await cluster?.stop()
  if (process.exitCode === 0) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  else say(`the logs are in ${folder}`)
}

async function prove({ url, whole }: PatroniCluster): Promise<number> {
  let failed = 0
  const db = openPostgres({ url })
  const { runs, actions } = await withService({ SERVICE_DATABASE_URL: url }, async service => {
    const services = await benchServices(db)
    const load = startLoad(service, [await benchRelease(services, '1'), await benchRelease(services, '2')])
    const faults = Object.entries(FAULTS)
    for (let round = 0; round < ROUNDS; round++) {
      const [name, fault] = faults[round % faults.length]!
      const leader = await whole().catch(() => undefined)
      if (leader === undefined) {
        failed++
        say(`Patroni was not whole again within five minutes after ${round} rounds`)
        break
      }
      await load.nextWrite()
      // Later ones would be about a ledger that is not what it was.
      if ((await lostOf(db, load.acknowledged())).length > 0) break
      const struckAt = performance.now()
      fault.strike(leader)
      await load.nextWrite()
      const seconds = (performance.now() - struckAt) / 1000
      fault.mend(leader)
      const isLate = seconds > fault.within
      if (isLate) failed++
      say(
        `${round + 1}: ${leader.name} ${name}, writes back after ${seconds.toFixed(1)} s${isLate ? ', too late' : ''}`,
      )
    }
    await load.nextWrite()
    return load.stop()
  })
  const lost = await lostOf(db, { runs, actions })
  const recorded = await rowsOf(db, sql`SELECT audit_seq FROM actions ORDER BY audit_seq`)
  const gaps = recorded.filter(({ audit_seq }, index) => Number(audit_seq) !== index + 1).length
  const doctor = { features: FEATURES, migrations: loadMigrations({ dialect: 'postgres' }), deep: true }
  const found = (await examine(db, doctor)).checks.filter(({ ok }) => !ok)
  await db.close()
  for (const { name, detail } of found) say(`${name}: ${detail}`)
  say(
    `${runs.length} events and ${actions.length} decisions acknowledged, ${lost.length} lost, ${gaps} gaps, the deep doctor finds ` +
      (found.length === 0 ? 'nothing' : found.length),
  )
  return failed + lost.length + gaps + found.length === 0 ? 0 : 1
}

interface Acknowledged {
  readonly runs: readonly string[]
  readonly actions: readonly string[]
}

/** Of what was acknowledged, what is not there. */
async function lostOf(db: Sql, { runs, actions }: Acknowledged): Promise<string[]> {
  const stored = await rowsOf(
    db,
    sql`SELECT run_id AS id FROM run_events UNION ALL SELECT action_id FROM actions`,
  )
  const known = new Set(stored.map(({ id }) => id))
  return [...runs, ...actions].filter(id => !known.has(id))
}

/** A decision as it is answered: passed, or blocked. */
interface Decided {
  readonly action_id?: string
  readonly detail?: { readonly outcome: { readonly action_id: string } }
}

/** Clients that send events and ask for decisions without a pause, each again where the answer says so. */
function startLoad(service: string, releases: readonly string[]) {
  const [runs, actions]: [string[], string[]] = [[], []]
  let waiting: { readonly since: number; readonly resolve: () => void }[] = []
  const state = { isOver: false }

  async function call(path: string, body: unknown): Promise<{ status: number; body: Decided }> {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(service + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: answer.status, body: (await answer.json()) as Decided }
  }

  const written = (startedAt: number): void => {
    for (const { resolve } of waiting.filter(({ since }) => startedAt >= since)) resolve()
    waiting = waiting.filter(({ since }) => startedAt < since)
  }

  async function sendEvents(client: number): Promise<void> {
    for (let n = 0; !state.isOver; n++) {
      const event = benchEvent(releases[n % 2]!, 1e6 * client + n, Date.now())
      for (let status = 0; status !== 200 && !state.isOver;) {
        const startedAt = performance.now()
        ;({ status } = await call('/v1/events', { events: [event] }))
        if (status !== 200 && status !== 503) throw new Error(`events: ${status}`)
        if (status !== 200) continue
        runs.push(event.run_id)
        written(startedAt)
      }
    }
  }

  async function decide(): Promise<void> {
    for (let n = 0; !state.isOver; n++) {
      const wanted = { release_id: releases[n % 2], environment: 'local', window: '1h', reason: 'proof' }
      const { status, body } = await call('/v1/promote', wanted)
      if (status === 503) continue
      if (status !== 200 && status !== 409) throw new Error(`promote: ${status} ${JSON.stringify(body)}`)
      actions.push(body.action_id ?? body.detail!.outcome.action_id)
    }
  }

  const clients = Promise.all([sendEvents(1), sendEvents(2), decide()])
  return {
    /** Resolves once a write is answered that was sent after this was called. */
    nextWrite: () =>
      Promise.race([
        new Promise<void>(resolve => waiting.push({ since: performance.now(), resolve })),
        clients.then(() => {
          throw new Error('the clients have ended')
        }),
      ]),
    acknowledged: (): Acknowledged => ({ runs: [...runs], actions: [...actions] }),
    async stop() {
      state.isOver = true
      await clients
      return { runs, actions }
    },
  }
}
