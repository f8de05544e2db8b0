import { expect, onTestFinished, test } from 'vitest'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { type Sql, rowsOf, sql } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { assign, isCandidate } from '../../../src/base/assignment.ts'
import { checkRollouts } from '../../../src/features/rollouts/tick.ts'
import { expectSound } from '../../crash/verify.ts'
import { startCluster } from '../../support/databases/servers/cluster.ts'
import { HOUR_MS, type RolloutScene, rolloutOf, rolloutScene, start } from '../../support/rollouts/scene.ts'
import { scaled } from '../../support/scale.ts'
import { eventOf } from '../../support/services/builders.ts'
import { diff, ok, promote } from '../../support/services/requests.ts'
import { testService } from '../../support/services/service.ts'

// cp -a and process groups are of POSIX.
test.skipIf(process.platform === 'win32')(
  'a primary that is killed under load and its promoted standby: writes go on, and nothing acknowledged is lost',
  async () => {
    const cluster = await startCluster()
    const db = open(`${cluster.url}?target_session_attrs=primary`)
    await migrate(db, loadMigrations({ dialect: 'postgres' }), Date.now)
    const follower = open(`${cluster.url}?target_session_attrs=standby&query_timeout=5`)
    const service = await testService({ sql: db, follower })
    const scene = await rolloutScene(async () => service)
    const releases = [scene.baseline, scene.candidate] as const
    const { rollout_id } = await ok(start(scene, { steps: '50%:1h' }))

    // Programs have heard of it by then.
    service.clock.now += HOUR_MS / 4

    const load = startLoad(scene, rollout_id)
    await load.until(20)
    expect((await ok(diff(service, releases))).samples.candidate_runs).toBeGreaterThan(0)
    await cluster.killPrimary()
    const killedAt = performance.now()
    const standby = open(cluster.standbyUrl)
    // Writes that succeed again show that it is done; waiting in the statement would end at the driver's 30 s.
    await standby.batch([sql`SELECT pg_promote(false)`])
    await load.until(load.acknowledged() + 20)
    expect(performance.now() - killedAt).toBeLessThan(scaled(60_000, 10_000))
    const { runs, actions } = await load.stop()
    // There is no standby any more.
    expect((await ok(diff(service, releases))).samples.candidate_runs).toBeGreaterThan(0)

    const stored = await rowsOf(standby, sql`SELECT run_id FROM run_events WHERE run_id LIKE 'run-%'`)
    expect(new Set(stored.map(({ run_id }) => String(run_id)))).toEqual(new Set(runs))
    const recorded = new Set((await expectSound(standby)).map(({ action_id }) => action_id))
    expect(actions.filter(id => !recorded.has(id))).toEqual([])
    expect(actions.length).toBeGreaterThan(5)
    // That its sums are those of the runs, the doctor has said. It goes on.
    service.clock.now += HOUR_MS
    await checkRollouts(service.context)
    const { state, last_check } = await rolloutOf(scene)
    expect(state).toBe('running')
    expect(last_check.runs.baseline + last_check.runs.candidate).toBe(runs.length)
  },
  120_000,
)

interface Load {
  /** Events and decisions that were answered so far. */
  acknowledged(): number
  /** Resolves when that many were. */
  until(count: number): Promise<void>
  stop(): Promise<{ runs: string[]; actions: string[] }>
}

/** Clients that send events as the rollout splits them and ask for decisions, each again where the answer says so. */
function startLoad({ service, baseline, candidate }: RolloutScene, rolloutId: string): Load {
  const [runs, actions]: [string[], string[]] = [[], []]
  const waiting: { count: number; resolve: () => void }[] = []
  const state = { isOver: false }
  onTestFinished(() => void (state.isOver = true))
  const acknowledged = (): number => runs.length + actions.length
  const report = (): void => {
    for (const { resolve } of waiting.filter(({ count }) => acknowledged() >= count)) resolve()
  }

  async function sendEvents(client: number): Promise<void> {
    for (let n = 0; !state.isOver; n++) {
      const run_id = `run-${client}-${n}`
      const release_id = isCandidate(await assign(rolloutId, run_id), 0.5) ? candidate : baseline
      const at = service.clock.now - 60_000
      const events = [eventOf({ release_id, run_id, at, request: { session_id: run_id } })]
      let status = 0
      while (status !== 200 && !state.isOver) {
        status = (await service.call('POST /v1/events', { body: { events } })).status
        expect([200, 503]).toContain(status)
      }
      if (status !== 200) return
      runs.push(run_id)
      report()
    }
  }

  async function decide(environment: string): Promise<void> {
    for (let n = 0; !state.isOver; n++) {
      const { status, body } = await promote(service, n % 2 === 0 ? baseline : candidate, { environment })
      if (status === 503) continue
      expect([200, 409]).toContain(status)
      actions.push(body.action_id ?? body.detail.outcome.action_id)
      report()
    }
  }

  const clients = [...[1, 2, 3].map(sendEvents), ...['prod', 'staging'].map(decide)]
  return {
    acknowledged,
    until: count => new Promise(resolve => (waiting.push({ count, resolve }), report())),
    async stop() {
      state.isOver = true
      await Promise.all(clients)
      return { runs, actions }
    },
  }
}

function open(url: string): Sql {
  const db = openPostgres({ url })
  onTestFinished(() => db.close())
  return db
}
