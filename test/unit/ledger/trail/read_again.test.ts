import { afterAll, expect, test, vi } from 'vitest'
import type { RouteName } from '../../../../handlers/index.ts'
import { digestEvents } from '../../../../src/features/proofs/digests.ts'
import { endSession, noteRefusal, openSession } from '../../../../src/features/identity/sessions.ts'
import { noteFindings } from '../../../../src/features/live/findings.ts'
import { checkWatches } from '../../../../src/features/watch/tick.ts'
import { keepLedger } from '../../../../src/ledger/decide/keep_ledger.ts'
import { DAY_MS } from '../../../../src/base/time.ts'
import type { Sql, Statement } from '../../../../src/sql/port.ts'
import { readSources } from '../../../../tools/house/imports.ts'
import { PRICES, eventOf, releaseOf } from '../../../support/services/builders.ts'
import { type Ask, RETIREMENT, askAll, askApprovals } from '../../../support/services/every_write.ts'
import { decision, ok } from '../../../support/services/requests.ts'
import { erase } from '../../../support/services/retention.ts'
import { type TestService, testService } from '../../../support/services/service.ts'

// Files share a process and its modules: those that were loaded before would not be replaced.
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())

/** Where the write functions were called, as `file:line`. */
const called = vi.hoisted(() => new Set<string>())
const noting = vi.hoisted(() => (module: Record<string, unknown>, names: readonly string[]) => {
  const noted = names.map(name => {
    const write = module[name] as (...given: unknown[]) => unknown
    return [
      name,
      (...given: unknown[]) => {
        called.add(new Error('here').stack!.split('\n')[2]!.replace(/^.*?\(?([^ (]+:\d+):\d+\)?$/, '$1'))
        return write(...given)
      },
    ]
  })
  return { ...module, ...Object.fromEntries(noted) }
})
vi.mock('../../../../src/ledger/trail/write_logged.ts', async original =>
  noting(await original(), ['writeLogged', 'writeJudged', 'logOnly']),
)
vi.mock('../../../../src/ledger/trail/chain.ts', async original => noting(await original(), ['commitOnce']))

const TRAIL = /^src\/ledger\/trail\/(?:write_logged|chain)\.ts/
const CALL = /(?<!function )\b(?:writeLogged|writeJudged|logOnly|commitOnce)(?:<|\()/

/** Calls of the write functions in the sources. */
function callsInSources(): string[] {
  return readSources().flatMap(({ path, text }) =>
    TRAIL.test(path)
      ? []
      : text.split('\n').flatMap((line, index) => (CALL.test(line) ? [`${path}:${index + 1}`] : [])),
  )
}

const ANN = { name: 'ann', source: 'cli' } as const
const HEADERS = { authorization: 'Bearer main-token', 'x-service-actor': 'hal' }
const TOKENS = { main: 'main-token' }
const PERSON = {
  issuer: 'https://login.example',
  subject: 'u-1',
  name: 'Ann',
  role: 'admin',
  agents: null,
  environments: null,
  roles_hash: 'r',
} as const
const NEW_SESSION = { kind: 'cli', person: PERSON, idle_ms: 60_000, lasts_ms: 600_000 } as const

/** A governed change of each table that writes read, on a server of its own; `times` makes each another one. */
function changesOn(service: TestService): Readonly<Record<string, (times: number) => Promise<unknown>>> {
  const boss = (route: string, body: object) =>
    ok(service.call(route as RouteName, { body, headers: HEADERS }))
  const register = (agent: string, times: number) =>
    boss('POST /v1/releases', {
      artifact: releaseOf({ agent, version: `0.${times}` }),
      checksum: String(times).padStart(64, '0'),
    })
  const promotion = async (times: number) => {
    const { release_id } = await register('other', times)
    const body = decision(release_id)
    const { status } = await service.call('POST /v1/promote', { body, headers: HEADERS })
    expect([200, 409]).toContain(status)
  }
  return {
    policy_history: async times => {
      const policy = await ok(service.call('GET /v1/policy', { headers: HEADERS }))
      return boss('PUT /v1/policy', { ...policy, max_cost_per_run_usd: 1000 + times })
    },
    pricing_tables: times =>
      boss('POST /v1/pricing', {
        table: { provider: 'x', pricing_version: String(times), entries: [] },
      }),
    releases: times => register('bot', times),
    score_imports: async times =>
      boss('POST /v1/scores', {
        release_id: (await register('bot', 1000 + times)).release_id,
        suite: 's',
        cases: [{ right: 1 / times }],
      }),
    promoted_pointers: promotion,
    webhooks: times =>
      boss('POST /v1/webhooks', { url: `https://hooks.example.com/${times}`, events: ['promote.blocked'] }),
    model_retirements: times =>
      boss('POST /v1/retirements', {
        provider: 'x',
        model: `m${times}`,
        retires_on: '2030-01-01',
        reason: 'r',
      }),
    tokens: times => boss('POST /v1/tokens', { name: `t${times}`, role: 'read' }),
    sessions: times => openSession(service.context, { ...NEW_SESSION, proof: `another ${times}` }),
    retention_jobs: () => erase(service.context, 'nobody'),
  }
}

interface Overtaken {
  readonly db: Sql
  /** Carries out a write, and returns the tables that it has read and not read again when they had changed. */
  readonly missedBy: (write: () => Promise<unknown>) => Promise<string[]>
}

/** The same database, where each of the tables that a write has read changes in turn before it is written. */
function overtaking(db: Sql, changes: ReturnType<typeof changesOn>): Overtaken {
  const [ever, since] = [new Set<string>(), new Set<string>()]
  const [changed, missed] = [new Set<string>(), new Set<string>()]
  let [times, last] = [0, undefined as string | undefined]
  const note = (statements: readonly Statement[]): void => {
    for (const { text } of statements)
      for (const [, table] of text.matchAll(/\b(?:FROM|JOIN)\s+(\w+)/g))
        for (const set of [ever, since]) set.add(table!)
  }
  const settle = (): void => {
    if (last !== undefined && !since.has(last)) missed.add(last)
    last = undefined
  }
  const { extras: _, ...plain } = db
  return {
    db: {
      ...plain,
      query: (statement, options) => (note([statement]), db.query(statement, options)),
      snapshot: (statements, options) => (note(statements), db.snapshot(statements, options)),
      batch: async (statements, options) => {
        if (statements.some(({ text }) => text.includes('UPDATE audit_head'))) {
          settle()
          last = [...ever].find(table => changes[table] !== undefined && !changed.has(table))
          if (last !== undefined) {
            changed.add(last)
            await changes[last]!(++times)
            since.clear()
          }
        }
        return db.batch(statements, options)
      },
    },
    missedBy: async write => {
      for (const set of [ever, since, changed, missed]) set.clear()
      await write()
      settle()
      return [...missed]
    },
  }
}

/** What is not read again, by the write: it does not rest on it. */
const STANDS: Readonly<Record<string, string>> = {
  // It only warns of models that lack a price, or of what lists say.
  'POST /v1/pricing': 'releases',
  'POST /v1/retirements': 'pricing_tables releases',
  // It says what differed before it began.
  'POST /v1/rollups/rebuild': 'promoted_pointers',
  // A decision in its place ends the watch itself, and a release never changes.
  'the end of a watch': 'promoted_pointers releases',
  // It says what was judged, at the prices of then, and blocks nothing.
  'a broken limit': 'pricing_tables releases',
}

const notReadAgain: Record<string, string> = {}

/** A server whose writes are overtaken, and a way to call it. */
async function overtakenScene(workspace: Record<string, unknown>) {
  const service = await testService({ tokens: TOKENS })
  const { db, missedBy } = overtaking(service.sql, changesOn(service))
  const sent: string[] = []
  const send = async ({ body }: { readonly body: string }) => {
    sent.push(body)
    return { status: 200, text: '' }
  }
  const late = await testService({ sql: db, firstId: 500_000, tokens: TOKENS, workspace, send })
  async function overtaken<T>(name: string, write: () => Promise<T>): Promise<T> {
    const done = Promise.withResolvers<T>()
    const missed = await missedBy(async () => done.resolve(await write()))
    if (missed.length > 0) notReadAgain[name] = missed.sort().join(' ')
    return done.promise
  }
  const ask: Ask = (route, { path = {}, body = {} }) => {
    const given = route.startsWith('DELETE ') ? { headers: HEADERS } : { headers: HEADERS, body }
    const filled = route.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name]!) as RouteName
    return overtaken(route, async () => {
      const { status, text, body: answer } = await late.call(filled, given)
      expect({ route, status, text }).toMatchObject({ status: status === 202 ? 202 : 200 })
      return answer
    })
  }
  return { late, sent, ask, overtaken }
}

test('what a governed write has read is read again where it changed before the write', async () => {
  const { late, sent, ask, overtaken } = await overtakenScene({ allow_forced_rollback: true })
  const { context, clock } = late
  await askAll(ask, sent, late)
  const { session } = await overtaken('a session', () =>
    openSession(context, { ...NEW_SESSION, proof: 'nonce' }),
  )
  const end = { because: 'signed_out', actor: ANN } as const
  await overtaken('its end', () => endSession(context, session.session_id, end))
  await overtaken('a refusal', () => noteRefusal(context, PERSON, { because: 'no role', kind: 'cli' }))
  await overtaken('digests', () => digestEvents(context, batch => batch()))
  await overtaken('an erasure', () => erase(context, 't1'))
  await overtaken('upkeep', () => keepLedger(context, { version: '1', pace: batch => batch() }))
  await ask('POST /v1/watches', { body: { agent_id: 'bot', environment: 'local' } })
  clock.now += 8 * DAY_MS
  await overtaken('the end of a watch', () => checkWatches(context))
  const live = await overtakenScene({})
  await live.ask('POST /v1/pricing', { body: { table: PRICES } })
  await live.ask('PUT /v1/policy', { body: { ...RETIREMENT, max_error_rate: 0.03 } })
  const { release_id: failing } = await live.ask('POST /v1/releases', {
    body: { artifact: releaseOf(), checksum: 'a'.repeat(64) },
  })
  await live.ask('POST /v1/promote', { body: decision(failing) })
  const failed = Array.from({ length: 20 }, (_, index) =>
    eventOf({ run_id: `f${index}`, release_id: failing, success: false }),
  )
  await live.ask('POST /v1/events', { body: { events: failed } })
  await live.overtaken('a broken limit', () => noteFindings(live.late.context, batch => batch()))
  const approving = { promotion_requires_approval: true }
  const alone = await overtakenScene(approving)
  await askApprovals(alone.ask, alone.late)
  const two = await overtakenScene({ ...approving, approvals_required: 2, approval_expires: '1h' })
  await two.ask('POST /v1/pricing', { body: { table: PRICES } })
  await two.ask('PUT /v1/policy', { body: RETIREMENT })
  const artifact = releaseOf()
  const { release_id } = await two.ask('POST /v1/releases', { body: { artifact, checksum: 'a'.repeat(64) } })
  const { request_id } = await two.ask('POST /v1/promote/request', { body: decision(release_id) })
  await two.ask('POST /v1/promote/confirm', { body: { request_id, approval_reason: 'yes' } })
  two.late.clock.now += DAY_MS
  await two.overtaken('an expiry', () =>
    keepLedger(two.late.context, { version: '1', pace: batch => batch() }),
  )
  expect(notReadAgain).toEqual(STANDS)
  expect(callsInSources().filter(call => ![...called].some(path => path.endsWith(`/${call}`)))).toEqual([
    // The owner of the machine says so.
    expect.stringMatching(/^src\/features\/retention\/jobs_ledger\.ts:/),
  ])
})
