import { assert, constantFrom, property, subarray } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Gate } from '../../../src/models/deploys/gate.ts'
import {
  type PlaceEntry,
  type PlaceFacts,
  STATE_WORDS,
  candidateIn,
  limitRows,
  rowText,
  stateOf,
} from '../../../src/rules/place.ts'

const AT = '2026-11-01T12:00:00.000Z'
const LIVE = {
  release_id: 'rel_1',
  version: '1.0',
  action_id: 'act_1',
  promoted_at: AT,
  promoted_by: 'ann',
  reason: 'first',
}
const ENTRY: PlaceEntry = {
  agent_id: 'bot',
  environment: 'prod',
  promoted: LIVE,
  last_action: null,
  newest_release: { release_id: 'rel_2', version: '2.0', created_at: AT },
  pending_requests: 0,
}
const NONE = { rollout: null, request: null }
const ROLLOUT = { rollout_id: 'rol_1', candidate_release_id: 'rel_3', state: 'running', share: 0.1 } as const
const REQUEST = {
  request_id: 'prq_1',
  release_id: 'rel_2',
  window: '24h',
  actor: 'bob',
  reason: 'faster',
  created_at: AT,
}
const WATCH = { watch_id: 'wch_1', release_id: 'rel_1', ends_at: AT }
const FREEZE = { until: '2026-11-30', reason: 'the fair' }

function gateOf(result: Gate['result'], more: Partial<Gate> = {}): Gate {
  const verdict =
    ({ passed: 'pass', first: 'pass', not_yet: 'inconclusive' } as const)[result as 'passed'] ?? 'block'
  return {
    result,
    verdict,
    passed: verdict === 'pass',
    reasons: verdict === 'pass' ? [] : ['it costs too much'],
    version: '2.0',
    limits: [],
    metrics: null,
    statistics: null,
    ...more,
  } as Gate
}

function factsOf(more: Partial<PlaceFacts> = {}): PlaceFacts {
  const { candidate } = candidateIn(ENTRY, NONE)
  return {
    entry: ENTRY,
    candidate,
    gate: gateOf('passed'),
    problem: null,
    broken: [],
    freeze: null,
    watch: null,
    rollout: null,
    request: null,
    ...more,
  }
}

describe('the candidate of a place', () => {
  test('is that of a rollout before that of a request before the newest', () => {
    const id = (proposed: Partial<Parameters<typeof candidateIn>[1]>): unknown => {
      const { candidate } = candidateIn(ENTRY, { ...NONE, ...proposed })
      return candidate && [candidate.release_id, candidate.source]
    }
    expect(id({ rollout: ROLLOUT, request: REQUEST })).toEqual(['rel_3', 'rollout'])
    expect(id({ request: REQUEST })).toEqual(['rel_2', 'request'])
    expect(id({ request: { ...REQUEST, release_id: 'rel_1' } })).toEqual(['rel_2', 'newest'])
    expect(id({})).toEqual(['rel_2', 'newest'])
  })

  test('is none where the newest is live, was rolled back, or is not there', () => {
    const newest = ENTRY.newest_release!
    const why = (newest_release: PlaceEntry['newest_release']): string => {
      const found = candidateIn({ ...ENTRY, newest_release }, NONE)
      expect(found.candidate).toBe(null)
      return found.why
    }
    expect(why({ ...newest, release_id: 'rel_1' })).toBe('the newest release is live')
    expect(why({ ...newest, rolled_back_at: AT })).toBe(
      'the newest release, 2.0, was rolled back at 2026-11-01 12:00 UTC',
    )
    expect(why(null)).toBe('no release is registered here')
  })
})

describe('the state of a place', () => {
  test('is the first that holds, whatever else does', () => {
    const states = Object.keys(STATE_WORDS)
    const parts: [state: string, more: Partial<PlaceFacts>][] = [
      ['worse', { broken: ['error rate 30 %'] }],
      ['frozen', { freeze: FREEZE }],
      ['rolling_out', { rollout: ROLLOUT }],
      ['awaiting_approval', { request: REQUEST }],
      [
        'no_price',
        { entry: { ...ENTRY, newest_release: { ...ENTRY.newest_release!, unpriced: true } }, gate: null },
      ],
      ['watched', { watch: WATCH }],
    ]
    assert(
      property(
        subarray(parts, { minLength: 1 }),
        constantFrom('blocked', 'not_yet', 'passed'),
        (some, result) => {
          const gate = gateOf(result)
          const judged = { blocked: 'blocked', not_yet: 'needs_runs', passed: 'can_promote' }[result]
          const facts = factsOf(Object.assign({ gate }, ...some.map(([, more]) => more)))
          const possible = [...some.map(([state]) => state), ...(facts.gate === null ? [] : [judged])]
          const { state, headline } = stateOf(facts, 'none')
          expect(state).toBe(possible.toSorted((a, b) => states.indexOf(a) - states.indexOf(b))[0])
          expect(headline).not.toMatch(/undefined|null|: $/)
        },
      ),
    )
  })

  test('is quiet where nothing is next, and says why', () => {
    expect(stateOf(factsOf({ candidate: null, gate: null }), 'the newest release is live')).toEqual({
      state: 'quiet',
      headline: '1.0 is live; the newest release is live',
    })
  })

  test('is blocked where nothing can be compared', () => {
    const facts = factsOf({ gate: null, problem: 'Runs name another agent.' })
    expect(stateOf(facts, '')).toEqual({
      state: 'blocked',
      headline: '2.0 is blocked: Runs name another agent.',
    })
  })
})

test('a row says what was found, and what would pass', () => {
  const metric = { matched: null, baseline_mean: 1000, candidate_mean: 1500 }
  const limits = [
    { policy_key: 'max_latency_ms', metric: 'latency_ms', limit: 1400 },
    { policy_key: 'max_error_rate', metric: 'error_rate', limit: 0.03 },
    { policy_key: 'max_latency_increase_pct', metric: 'latency_ms', limit: 0.3 },
    { policy_key: 'suites.smoke.must_pass', metric: 'smoke', limit: 1 },
    {
      policy_key: 'max_segment_cost_increase_pct',
      metric: 'segment regression cost_per_run_usd',
      limit: 0.1,
    },
  ]
  const decided = {
    policy_key: 'max_latency_increase_pct',
    outcome: 'fail',
    estimate: 0.5,
    low: 0.4,
    high: 0.6,
  }
  const unproven = { policy_key: 'max_segment_cost_increase_pct', outcome: 'pass', estimate: null }
  const gate = gateOf('blocked', {
    limits,
    metrics: { candidate_latency_ms_avg: 1500, candidate_error_rate: 0.01 } as Gate['metrics'],
    statistics: { limits: [decided, unproven], latency_ms: metric } as unknown as Gate['statistics'],
  })
  const rule = { override: 2, agent_id: 'bot', keys: ['max_latency_ms'] }
  const rows = limitRows(gate, [rule])
  expect(rows.map(row => [row.limit_from, row.outcome, rowText(row)])).toEqual([
    ['overrides[2]', 'fail', '1,500 ms, limit 1,400 ms; up to 1,400 ms passes'],
    ['policy', 'pass', '1.0 %, limit 3.0 %; up to 3.0 % passes'],
    ['policy', 'fail', '+50.0 % (+40.0 % to +60.0 %), limit +30.0 %; up to 1,300 ms passes'],
    ['policy', 'unsure', 'not measured, limit 1'],
    ['policy', 'pass', 'no rise is proven, limit +10.0 %'],
  ])
})

test('of a candidate without runs no limit on a mean is kept', () => {
  const limits = [{ policy_key: 'max_error_rate', metric: 'error_rate', limit: 0.03 }]
  const gate = gateOf('not_yet', {
    limits,
    metrics: { baseline_error_rate: 0.02, candidate_error_rate: 0 } as Gate['metrics'],
    statistics: {
      limits: [],
      error_rate: { baseline_runs: 900, candidate_runs: 0 },
    } as unknown as Gate['statistics'],
  })
  expect(limitRows(gate, [])).toMatchObject([{ before: 0.02, now: null, outcome: 'unsure' }])
})

test('a limit on any tenant or task has the values of the one that breaks it, and what would pass', () => {
  const limits = [{ policy_key: 'max_segment_latency_increase_pct', metric: 'latency_ms', limit: 0.8 }]
  const found = [{ kind: 'task', segment: 7, metric: 'latency_ms', baseline_mean: 900, candidate_mean: 3600 }]
  const decided = {
    ...limits[0],
    metric: 'latency_ms of task 7',
    outcome: 'fail',
    estimate: 3,
    low: 2.9,
    high: 3.1,
  }
  const gate = gateOf('blocked', {
    limits,
    metrics: {} as Gate['metrics'],
    statistics: { limits: [decided], segment_regressions: { found } } as unknown as Gate['statistics'],
  })
  expect(limitRows(gate, [])).toMatchObject([
    { metric: 'latency_ms of task 7', before: 900, now: 3600, would_pass: 'up to 1,620 ms' },
  ])
})
