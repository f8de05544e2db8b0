import { expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/numbers.ts'
import { HOUR_MS } from '../../../src/base/time.ts'
import { temporaryLedger } from '../../support/databases/ledger.ts'
import { type Workspace, makeWorkspace } from '../../support/processes/cli.ts'
import { scaled } from '../../support/scale.ts'
import { eventOf, importPrices, register } from '../../support/services/builders.ts'
import { decision, ok, setPolicy } from '../../support/services/requests.ts'
import { type TestService, testService } from '../../support/services/service.ts'
import { FROZEN, type History, type Known, type Run, expectedOf } from './expected.ts'

/** Random ledgers of a run. */
const LEDGERS = scaled(8, 450)
const FIRST = Number(process.env.SEED ?? 1)

test.each(Array.from({ length: LEDGERS }, (_, index) => FIRST + index))(
  'random ledger %i has one answer for its place, on each surface',
  async seed => {
    const random = seededRandom(seed)
    const { service, workspace, known } = await randomLedger(random)
    const expected = expectedOf(known)
    const place = await ok(service.call('GET /v1/places/bot/local', {}))
    expect(said(place)).toEqual(said(expected))
    expectRows(place, expected)
    await expectBoard(service, place)
    const shown = JSON.parse(await workspace.ok('status', 'bot', '--env', 'local', '--output', 'json'))
    expect(shown.places.map(withoutTimes)).toEqual([withoutTimes(place)])
    const text = await workspace.ok('status', 'bot', '--env', 'local')
    expect(text).toContain(place.headline)
    if (expected.candidate === null || expected.isUnpriced) return
    await expectVerdict(service, workspace, known, place)
  },
)

/** What every surface has to say alike. */
function said({ candidate, state, reasons }: Answer): unknown {
  return {
    candidate: candidate && { release_id: candidate.release_id, source: candidate.source },
    state,
    reasons,
  }
}

interface Answer {
  readonly candidate: { readonly release_id: string; readonly source: string } | null
  readonly state: string
  readonly reasons: readonly string[]
}

type Expected = ReturnType<typeof expectedOf>

// oxlint-disable-next-line typescript/no-explicit-any -- answers of the API are looked into freely
function expectRows(place: any, { rows, headline }: Expected): void {
  const found = place.rows.map(
    ({ policy_key, limit, limit_from, now, outcome }: Expected['rows'][number]) => ({
      policy_key,
      limit,
      limit_from,
      now: now === null ? null : Number(now.toPrecision(9)),
      outcome,
    }),
  )
  expect(found).toEqual(rows)
  expect(place.headline).toMatch(headline)
}

// oxlint-disable-next-line typescript/no-explicit-any -- the same
async function expectBoard(service: TestService, place: any): Promise<void> {
  const { board } = await ok(service.call('GET /v1/board'))
  const { place: short } = board.find(
    ({ agent_id, environment }: { agent_id: string; environment: string }) =>
      agent_id === 'bot' && environment === 'local',
  )
  const { state, headline, candidate, allowed, window } = place
  expect({ ...short, evaluated_at: null }).toEqual({
    state,
    headline,
    candidate,
    allowed,
    window,
    evaluated_at: null,
  })
}

/** Gate, diff, report and the dry run of the dialog say what the place does. */
async function expectVerdict(
  service: TestService,
  workspace: Workspace,
  { live, needsApproval }: Known,
  // oxlint-disable-next-line typescript/no-explicit-any -- the same
  { candidate, reasons, window, state, request }: any,
): Promise<void> {
  const { release_id } = candidate
  const gate = await ok(service.call('GET /v1/gate/bot/local', { query: { release_id, window } }))
  expect([gate.release_id, gate.baseline_release_id, gate.reasons]).toEqual([release_id, live, reasons])
  const verdicts = { blocked: 'block', needs_runs: 'inconclusive', can_promote: 'pass' } as const
  if (Object.hasOwn(verdicts, state)) expect(gate.verdict).toBe(verdicts[state as 'blocked'])
  const args = ['release', 'gate', release_id, '--env', 'local', '--window', window] as const
  const { code, stdout } = await workspace.svc(...args, '--output', 'json')
  expect(code).toBe(EXIT[gate.verdict as 'pass'])
  expect(JSON.parse(stdout).reasons).toEqual(reasons)
  const report = await workspace.svc(...args, '--output', 'markdown')
  for (const reason of reasons) expect(plain(report.stdout)).toContain(plain(reason))
  if (live !== null) {
    const body = { baseline_release_id: live, candidate_release_id: release_id, window, environment: 'local' }
    const { policy } = await ok(service.call('POST /v1/diff', { body }))
    // A diff says what the policy says, and no freeze.
    const own = reasons.filter((reason: string) => reason !== FROZEN)
    expect([policy.passed, policy.reasons]).toEqual([own.length === 0, own])
  }
  const dry =
    request !== null
      ? await service.call('POST /v1/promote/confirm', {
          body: { request_id: request.request_id, approval_reason: 'dry run', dry_run: true },
        })
      : needsApproval
        ? undefined
        : await service.call('POST /v1/promote', { body: decision(release_id, { window, dry_run: true }) })
  if (dry === undefined) return
  const outcome = dry.status === 409 ? dry.body.detail.outcome : dry.body
  expect([outcome?.policy?.passed, outcome?.policy?.reasons], dry.text).toEqual([gate.passed, reasons])
}

const EXIT = { pass: 0, block: 3, inconclusive: 4 } as const

/** Text without what Markdown writes otherwise. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_<>&;]|&\w+;/g, '')
}

// oxlint-disable-next-line typescript/no-explicit-any -- the same
function withoutTimes({ since: _since, until: _until, evaluated_at: _at, ...place }: any): unknown {
  return place
}

/** A ledger of one place with a history, runs and a policy that chance made, and what is known of it. */
async function randomLedger(
  random: () => number,
): Promise<{ readonly service: TestService; readonly workspace: Workspace; readonly known: Known }> {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const needsApproval = random() < 0.2
  const isFrozen = random() < 0.1
  const config = {
    diff: { min_candidate_runs: 10, min_baseline_runs: 8, min_low_runs: 3 },
    promotion_requires_approval: needsApproval,
    ...(isFrozen
      ? { freeze: [{ environment: 'local', from: '2000-01-01', to: '2999-01-01', reason: 'the fair' }] }
      : {}),
  }
  const workspace = makeWorkspace(config)
  await workspace.ok('doctor')
  const sql = await temporaryLedger(workspace.path('.service/service.db'))
  // While history is made nothing is frozen and nobody has to approve.
  const free = await testService({ sql, workspace: { diff: config.diff } })
  const service = await testService({ sql, workspace: config, firstId: 1_000_000 })
  free.clock.now = service.clock.now = Date.now() - 1000
  await importPrices(free)
  await setPolicy(free, { require_high_diff_confidence: false })
  const releases: History['releases'][number][] = []
  const moves: History['moves'][number][] = []
  let live: string | null = null
  for (let version = 1; version <= 1 + Math.floor(random() * 4); version++) {
    const hasPrice = random() < 0.9
    const model = pick(['m1', 'm2'] as const)
    const pricing = hasPrice ? 'v1' : 'v9'
    const release_id = await register(free, { version: String(version), model, pricing })
    releases.push({ release_id, version: String(version), model, hasPrice })
    for (let move = 0; move < 2; move++) {
      const chance = random()
      const priced = releases.filter(each => each.hasPrice)
      if (priced.length === 0 || chance < 0.4) continue
      const to = pick(priced).release_id
      if (to === live) continue
      const action: 'promote' | 'rollback' = live !== null && chance > 0.75 ? 'rollback' : 'promote'
      await ok(free.call(`POST /v1/${action}`, { body: decision(to) }))
      moves.push({ action, to, from: live })
      live = to
    }
  }
  const runs = await randomRuns(free, releases, random)
  // Another agent and another environment have their own, which count nowhere here.
  await register(free, { agent: 'other', version: '9' })
  const pending =
    needsApproval && random() < 0.6 ? pick(releases.filter(({ hasPrice }) => hasPrice)) : undefined
  let request: Known['request'] = null
  if (pending !== undefined && pending.release_id !== live) {
    const asking = await testService({ sql, workspace: { ...config, freeze: [] }, firstId: 2_000_000 })
    asking.clock.now = service.clock.now
    const hours = pick([1, 24])
    const body = decision(pending.release_id, { window: `${hours}h` })
    await ok(asking.call('POST /v1/promote/request', { body }))
    request = { release_id: pending.release_id, hours }
  }
  const policy = randomPolicy(random, runs)
  await setPolicy(free, { ...policy })
  const known = { releases, moves, live, runs, policy, request, isFrozen, needsApproval, diff: config.diff }
  return { service, workspace, known }
}

async function randomRuns(
  service: TestService,
  releases: History['releases'],
  random: () => number,
): Promise<Run[]> {
  const whole = (below: number): number => Math.floor(random() * below)
  const runs = releases.flatMap(({ release_id, model, hasPrice }): Run[] =>
    Array.from({ length: hasPrice ? whole(30) : 0 }, () => ({
      age: 60_000 + (random() < 0.5 ? whole(50 * 60_000) : 70 * 60_000 + whole(18 * HOUR_MS)),
      release_id,
      model,
      input: whole(3000),
      output: whole(2000),
      latency: random() < 0.9 ? whole(4000) : null,
      success: random() < 0.8,
    })),
  )
  const events = runs.map(({ age, input, output, latency, ...run }, index) =>
    eventOf({
      ...run,
      input,
      output,
      ...(latency === null ? {} : { latency }),
      run_id: `r${index}`,
      at: service.clock.now - age,
    }),
  )
  if (events.length > 0) await ok(service.call('POST /v1/events', { body: { events } }))
  return runs
}

/** Limits near what was measured of some release, and overrides: of the place, and of others. */
function randomPolicy(random: () => number, runs: readonly Run[]): Known['policy'] {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const near = (usual: number, digits: number): number =>
    Number((usual * pick([0.5, 0.8, 1.1, 1.5, 3])).toFixed(digits))
  const limits = () => ({
    ...(random() < 0.5 ? { max_cost_per_run_usd: near(runs.length === 0 ? 1 : 3.5, 4) } : {}),
    ...(random() < 0.5 ? { max_latency_ms: near(2000, 0) } : {}),
    ...(random() < 0.5 ? { max_error_rate: near(0.2, 4) } : {}),
  })
  const overrides = [
    { agent_id: 'bot', environment: 'local', ...limits() },
    { environment: 'local', ...limits() },
    { environment: 'staging', ...limits() },
    { agent_id: 'other', environment: 'staging', ...limits() },
  ].filter(each => random() < 0.4 && Object.keys(each).some(key => key.startsWith('max_')))
  return {
    require_high_diff_confidence: random() < 0.6,
    ...limits(),
    ...(overrides.length === 0 ? {} : { overrides }),
  }
}
