import { afterAll, describe, expect, test } from 'vitest'
import { PRICES, releaseOf } from '../support/services/builders.ts'
import { startSqld } from '../support/databases/servers/sqld.ts'
import { temporaryFolder } from '../support/databases/ledger.ts'
import { start } from '../support/processes/processes.ts'
import { scaled } from '../support/scale.ts'
import { type Call, type Decided, type Recorded, historyProblems } from './history.ts'
import { PLACES } from './places.ts'
import { type Place, call, open } from './programs/support.ts'
import { expectSound } from './verify.ts'

const PROCESSES = 2
const CLIENTS = scaled(8, 64)
/** Of each client; reads come on top. */
const DECISIONS = Number(process.env.PROVE_DECISIONS ?? scaled(3, 80))
const ENVIRONMENTS = ['local', 'prod']
const RELEASES = scaled(4, 12)

const sqlds: Awaited<ReturnType<typeof startSqld>>[] = []
afterAll(() => Promise.all(sqlds.map(sqld => sqld.dispose())))

const EVERYWHERE: typeof PLACES = [
  ...PLACES,
  [
    'libSQL',
    async () => {
      const sqld = await startSqld()
      sqlds.push(sqld)
      return { folder: temporaryFolder(), databaseUrl: sqld.url }
    },
  ],
]

describe.each(scaled(PLACES.slice(0, 1), EVERYWHERE))('on %s', (name, makePlace) => {
  test(`${PROCESSES} processes of ${CLIENTS} clients move pointers one after the other`, async () => {
    const place = await makePlace()
    const { services, releases } = await prepared(place)
    const startedAt = performance.now()
    const running = Array.from({ length: PROCESSES }, (_, index) =>
      start('pointers.ts', {
        place,
        process: index + 1,
        releases,
        environments: ENVIRONMENTS,
        clients: CLIENTS,
        decisions: DECISIONS,
      }),
    )
    const calls: Call[] = []
    for (const { ended, lines } of running) {
      const { code, stderr } = await ended
      expect(stderr).toBe('')
      expect(code).toBe(0)
      calls.push(...(lines as Call[]))
    }
    const tookMs = performance.now() - startedAt
    const trail = recorded(await expectSound(services.sql))
    await services.sql.close()
    const decided = calls.filter(made => made.kind === 'decision')
    const counts = countsOf(calls)
    expect(decided.length).toBe(PROCESSES * CLIENTS * DECISIONS)
    // No request is missing: what has no action was refused, or had no answer.
    expect(counts.answered + counts.refused + counts.unanswered).toBe(decided.length)
    expect(trail.length).toBeGreaterThanOrEqual(counts.answered)
    expect(trail.length).toBeLessThanOrEqual(counts.answered + counts.unanswered)
    expect(historyProblems(calls, trail)).toEqual([])
    if (process.env.PROVE === '1') {
      console.log(`${name}, sound: ${JSON.stringify({ ...counts, seconds: Math.round(tookMs / 1000) })}`)
    }
  })
})

async function prepared(place: Place) {
  const services = await open(place)
  await call(services, 'POST /v1/pricing', { table: PRICES })
  await call(services, 'PUT /v1/policy', { require_high_diff_confidence: false })
  const releases: string[] = []
  for (let version = 1; version <= RELEASES; version++) {
    const artifact = releaseOf({ version: String(version) })
    const { body } = await call(services, 'POST /v1/releases', { artifact, checksum: 'a'.repeat(64) })
    releases.push(body.release_id as string)
  }
  return { services, releases }
}

function recorded(actions: Awaited<ReturnType<typeof expectSound>>): Recorded[] {
  return actions.map(
    ({ audit_seq, action_id, environment, baseline_release_id, release_id, policy_passed, reason }) => ({
      audit_seq,
      action_id,
      environment,
      baseline_release_id,
      release_id,
      moved: policy_passed,
      reason,
    }),
  )
}

function countsOf(calls: readonly Call[]) {
  const decided = calls.filter(made => made.kind === 'decision')
  return {
    answered: decided.filter(({ action_id }) => action_id !== undefined).length,
    refused: decided.filter(({ action_id, returned }) => action_id === undefined && returned !== null).length,
    unanswered: decided.filter(({ returned }) => returned === null).length,
    reads: calls.length - decided.length,
  }
}

describe('a history', () => {
  const decision = (at: number, baseline: string | null, release: string): Decided & Recorded => ({
    kind: 'decision',
    invoked: at * 10,
    returned: at * 10 + 5,
    status: 200,
    reason: `at ${at}`,
    action_id: `act ${at}`,
    audit_seq: at,
    environment: 'prod',
    baseline_release_id: baseline,
    release_id: release,
    moved: true,
  })
  const read = (invoked: number, returned: number, release?: string): Call => ({
    kind: 'read',
    invoked,
    returned,
    pointers: release === undefined ? {} : { prod: release },
  })
  const [a, b, c] = [decision(1, null, 'a'), decision(2, 'a', 'b'), decision(3, 'b', 'c')]
  const swapped = (one: Recorded, seq: number): Recorded => ({ ...one, audit_seq: seq })

  test.each<[string, readonly Call[], readonly Recorded[]]>([
    ['of calls one after the other', [a, b, c, read(16, 18, 'a'), read(36, 37, 'c')], [a, b, c]],
    ['with a read before all', [read(0, 9), a], [a]],
    [
      'with a read beside a decision, before and behind it',
      [a, b, read(16, 30, 'a'), read(16, 30, 'b')],
      [a, b],
    ],
    [
      'of two that overlap, in the other order',
      [
        { ...a, returned: 25, baseline_release_id: 'b' },
        { ...b, baseline_release_id: null },
      ],
      [swapped({ ...b, baseline_release_id: null }, 1), swapped({ ...a, baseline_release_id: 'b' }, 2)],
    ],
    ['with a call that had no answer, and was recorded', [{ ...bare(a), returned: null }], [a]],
    ['with a call that had no answer, and was not', [{ ...bare(a), returned: null }], []],
  ])('%s is taken', (_name, calls, trail) => {
    expect(historyProblems(calls, trail)).toEqual([])
  })

  test.each<[string, readonly Call[], readonly Recorded[]]>([
    ['with a decision that is not recorded', [a, b], [a]],
    ['with one that nobody asked for', [a], [a, b]],
    ['with one that was refused, and recorded', [bare(a)], [a]],
    ['with one that was recorded twice', [a], [a, swapped({ ...a, baseline_release_id: 'a' }, 2)]],
    ['with one that was answered otherwise', [{ ...a, release_id: 'b' }], [a]],
    [
      'with a lost move: two decided against the same',
      [a, b, { ...c, baseline_release_id: 'a' }],
      [a, b, { ...c, baseline_release_id: 'a' }],
    ],
    ['with a gap', [a, b], [a, swapped(b, 3)]],
    [
      'in an order that time forbids',
      [
        { ...a, baseline_release_id: 'b' },
        { ...b, baseline_release_id: null },
      ],
      [swapped({ ...b, baseline_release_id: null }, 1), swapped({ ...a, baseline_release_id: 'b' }, 2)],
    ],
    ['with a read of what is no more', [a, b, read(26, 27, 'a')], [a, b]],
    ['with a read of what is not yet', [a, b, read(16, 18, 'b')], [a, b]],
    ['with a read of what never was', [a, read(16, 18, 'z')], [a]],
    [
      'with a read that goes back behind another',
      [a, { ...b, returned: 90 }, read(21, 30, 'b'), read(40, 50, 'a')],
      [a, b],
    ],
  ])('%s is refused', (_name, calls, trail) => {
    expect(historyProblems(calls, trail)).not.toEqual([])
  })
})

/** The same call without what it was answered. */
function bare({ kind, invoked, returned, reason }: Decided): Decided {
  return { kind, invoked, returned, reason, status: 400 }
}
