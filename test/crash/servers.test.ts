import { expect, onTestFinished, test } from 'vitest'
import { type Sql, rowsOf, sql } from '../../src/sql/port.ts'
import { openPostgres } from '../../src/sql/postgres/node.ts'
import { eventOf, importPrices, register } from '../support/services/builders.ts'
import { makeWorkspace, startService } from '../support/processes/cli.ts'
import { temporaryDatabase } from '../support/databases/postgres.ts'
import { seededRandom } from '../../src/base/numbers.ts'
import { scaled } from '../support/scale.ts'
import { testService } from '../support/services/service.ts'
import { expectSound } from './verify.ts'

const CLIENTS = scaled(6, 9)
const ROUNDS = scaled(8, 600)

/** Requests that have to be settled before anything is said about them. */
const ENOUGH_SETTLED = scaled(3, 6)

interface Answered {
  readonly kind: string
  readonly status: number
  readonly body: {
    action_id?: string
    request_id?: string
    inserted?: number
    detail?: string | { outcome?: { action_id: string } }
  }
}

test('three servers on one database, whose connections keep breaking, agree on one history', async () => {
  const url = await temporaryDatabase()
  const direct = openPostgres({ url })
  onTestFinished(() => direct.close())
  const { releases, servers } = await startServers(url, direct)

  const breaking = breakConnections(direct)
  const progress = { settled: 0 }
  const clients = Array.from({ length: CLIENTS }, (_, seed) => client(seed + 1, servers, releases, progress))
  const results = await Promise.all(clients)
  expect(await breaking.stop()).toBeGreaterThan(0)
  for (const server of servers) await server.stop()

  const actions = await expectSound(direct)
  const answers = results.flatMap(result => result.answers)
  // An outcome, a refusal in words, or a request to try again: never anything else.
  expect(
    [...new Set(answers.map(({ status }) => status))].filter(s => ![200, 400, 409, 503].includes(s)),
  ).toEqual([])
  const recorded = new Set(actions.map(({ action_id }) => action_id))
  const answered = answers.map(({ body }) => body.action_id ?? outcomeOf(body)).filter(id => id !== undefined)
  expect(answered.filter(id => !recorded.has(id))).toEqual([])
  expect(new Set(answered).size).toBe(answered.length)

  const settled = answers.filter(({ kind, status }) => /^(?:confirm|cancel)/.test(kind) && status === 200)
  const settledIds = settled.map(({ kind }) => kind.split(' ')[1])
  expect(new Set(settledIds).size).toBe(settledIds.length)

  const sent = new Set(results.flatMap(result => result.runs))
  const stored = (await rowsOf(direct, sql`SELECT run_id FROM run_events`)).map(row => String(row.run_id))
  expect(stored.length).toBe(new Set(stored).size)
  expect(stored.toSorted()).toEqual([...sent].toSorted())
})

type Server = Awaited<ReturnType<typeof startService>>

/** Two servers that promote directly, and a third whose workspace demands approvals. */
async function startServers(url: string, direct: Sql): Promise<{ releases: string[]; servers: Server[] }> {
  const seeding = await testService({ sql: direct, firstId: 1_000_000 })
  await importPrices(seeding)
  const releases: string[] = []
  for (const version of ['1', '2', '3']) releases.push(await register(seeding, { version }))
  const diff = { min_candidate_runs: 0, min_baseline_runs: 0, min_low_runs: 0 }
  const starting = [false, false, true].map(promotion_requires_approval =>
    startService(makeWorkspace({ promotion_requires_approval, diff }), {
      args: ['--log', 'off'],
      env: { SERVICE_DATABASE_URL: `${url}?max=4` },
    }),
  )
  const servers = await Promise.all(starting)
  onTestFinished(async () => {
    for (const server of servers) await server.stop()
  })
  return { releases, servers }
}

/** Ends every other connection to the database, again and again. */
function breakConnections(direct: Sql): { stop: () => Promise<number> } {
  const state = { isOver: false, broken: 0 }
  const over = (async () => {
    while (!state.isOver) {
      await new Promise(resolve => setTimeout(resolve, 200))
      const { rows } = await direct.query(sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`)
      state.broken += rows.length
    }
    return state.broken
  })()
  return {
    stop: () => {
      state.isOver = true
      return over
    },
  }
}

/**
 * Asks for this and that at random, of any of the servers, and keeps sending events until they are acknowledged. Goes on
 * until enough requests are settled by all clients together, however few that are in the usual rounds of a busy machine.
 */
async function client(
  seed: number,
  servers: readonly Server[],
  releases: readonly string[],
  progress: { settled: number },
): Promise<{ answers: Answered[]; runs: string[] }> {
  const random = seededRandom(seed)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const answers: Answered[] = []
  const runs: string[] = []
  const send = async (kind: string, server: Server, path: string, body?: unknown): Promise<Answered> => {
    const response = await fetch(
      `${server.url}${path}`,
      body === undefined
        ? {}
        : {
            method: path === '/v1/policy' ? 'PUT' : 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          },
    )
    const answered = { kind, status: response.status, body: (await response.json()) as Answered['body'] }
    answers.push(answered)
    return answered
  }
  for (let round = 0; round < ROUNDS || progress.settled < ENOUGH_SETTLED; round++) {
    const server = pick(servers)
    const kind = pick(['ingest', 'ingest', 'promote', 'rollback', 'policy', 'request', 'settle', 'settle'])
    const decision = {
      release_id: pick(releases),
      environment: pick(['local', 'prod']),
      window: '1h',
      reason: `client ${seed}, round ${round}`,
    }
    if (kind === 'ingest') {
      // Few ids for many clients: most batches overlap with somebody else's.
      const first = Math.floor(random() * 400)
      const run_ids = Array.from({ length: 60 }, (_, index) => `run-${first + index}`)
      const body = {
        events: run_ids.map(run_id => eventOf({ release_id: releases[0]!, run_id, at: Date.now() })),
      }
      while ((await send(kind, pick(servers), '/v1/events', body)).status !== 200);
      runs.push(...run_ids)
    } else if (kind === 'promote') await send(kind, pick(servers.slice(0, 2)), '/v1/promote', decision)
    else if (kind === 'rollback') await send(kind, server, '/v1/rollback', decision)
    else if (kind === 'policy') await send(kind, server, '/v1/policy', { min_candidate_runs: pick([0, 1]) })
    else if (kind === 'request') await send(kind, servers[2]!, '/v1/promote/request', decision)
    else {
      const { body } = await send('list', server, '/v1/promotion-requests?status=pending')
      const pending = (body as { requests?: { request_id: string }[] }).requests ?? []
      if (pending.length === 0) continue
      const { request_id } = pick(pending)
      const { status } = await (random() < 0.6
        ? send(`confirm ${request_id}`, server, '/v1/promote/confirm', { request_id, approval_reason: 'ok' })
        : send(`cancel ${request_id}`, server, '/v1/promote/cancel', { request_id, reason: 'no' }))
      if (status === 200) progress.settled += 1
    }
  }
  return { answers, runs }
}

function outcomeOf({ detail }: Answered['body']): string | undefined {
  return typeof detail === 'object' ? detail.outcome?.action_id : undefined
}
