import { describe, expect, test } from 'vitest'
import { loadMigrations } from '../../src/runtime/node/migrations.ts'
import { PRICES } from '../support/services/builders.ts'
import { start } from '../support/processes/processes.ts'
import { scaled } from '../support/scale.ts'
import { PLACES } from './places.ts'
import { call, open } from './programs/support.ts'
import { registered } from './registered.ts'
import { expectSound } from './verify.ts'

/** How many decide at once; PostgreSQL serializes by more than one lock, so more than two. */
const PROCESSES = scaled(4, 8)

interface Answered {
  readonly kind: string
  readonly status: number
  readonly request_id?: string
  readonly body: { action_id?: string; request_id?: string; detail?: { outcome?: { action_id: string } } }
}

// Decisions on SQLite are in `history.test.ts` too; the proof has both tests there.
describe.each(scaled(PLACES.slice(1), PLACES))('on %s', (_name, makePlace) => {
  test(`${PROCESSES} processes that migrate it new at once all succeed`, async () => {
    const place = await makePlace({ migrated: false })
    const dialect = place.databaseUrl === undefined ? 'sqlite' : 'postgres'
    const running = Array.from({ length: PROCESSES }, () => start('migrate.ts', { place }))
    for (const { ended, lines } of running) {
      const { code, stderr } = await ended
      expect(stderr).toBe('')
      expect(code).toBe(0)
      expect(lines).toEqual([{ n: loadMigrations({ dialect }).length }])
    }
  })

  test(`${PROCESSES} processes that promote, roll back, request, settle and change the policy agree on one history`, async () => {
    const place = await makePlace()
    const services = await open(place)
    await call(services, 'POST /v1/pricing', { table: PRICES })
    const releases = await registered(services, ['1', '2', '3'])
    const running = Array.from({ length: PROCESSES }, (_, index) =>
      start('decide.ts', { place, releases, seed: index + 1, rounds: scaled(40, 1500) }),
    )
    const answers: Answered[] = []
    for (const { ended, lines } of running) {
      const { code, stderr } = await ended
      expect(stderr).toBe('')
      expect(code).toBe(0)
      answers.push(...(lines as Answered[]))
    }
    const actions = await expectSound(services.sql)
    // Nobody got anything but an outcome or a refusal in words.
    const statuses = new Set(answers.map(answer => answer.status))
    expect([200, 400, 409]).toEqual(expect.arrayContaining([...statuses]))
    expect(statuses.has(200)).toBe(true)
    // What was answered is recorded, and nothing else is.
    const answered = answers.map(({ body }) => body.action_id ?? body.detail?.outcome?.action_id)
    expect(answered.filter(id => id !== undefined).sort()).toEqual(
      actions.map(action => action.action_id).sort(),
    )
    // Each request was settled once at most, by the caller that got the confirmation.
    const settled = answers.filter(
      ({ kind, status }) => (kind === 'confirm' || kind === 'cancel') && status === 200,
    )
    expect(new Set(settled.map(({ request_id }) => request_id)).size).toBe(settled.length)
    const { body } = await call(services, 'GET /v1/promotion-requests')
    const requests = body.requests as {
      request_id: string
      status: string
      completed_action_id: string | null
    }[]
    const stored = new Map(requests.map(request => [request.request_id, request.status]))
    const expected = settled.map(({ request_id, kind }) => [
      request_id!,
      kind === 'confirm' ? 'completed' : 'cancelled',
    ])
    expect(expected.filter(([id, status]) => stored.has(id!) && stored.get(id!) !== status)).toEqual([])
    expect(settled.length).toBeGreaterThan(scaled(0, 10))
    await services.sql.close()
  })
})
