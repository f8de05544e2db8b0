import { describe, expect, test } from 'vitest'
import { leftText, rolloutSentence } from '../../../../src/features/rollouts/rules_sentence.ts'
import { rolloutText } from '../../../../src/features/rollouts/cli_text.ts'
import type { Io } from '../../../../src/cli/terminal/io.ts'
import type { Rollout, RolloutCheck } from '../../../../src/features/rollouts/models.ts'

const NOW = Date.parse('2026-01-31T12:00:00.000Z')
const at = (hours: number): string => new Date(NOW + hours * 3_600_000).toISOString()

const CHECK: RolloutCheck = {
  number: 7,
  at: at(0),
  step: 1,
  runs: { baseline: 300, candidate: 20 },
  units: { baseline: 150, candidate: 10, p: null },
  wrong_share: 0,
  missing_share: 0,
  metrics: {
    error_rate: {
      alarm: null,
      baseline_runs: 300,
      candidate_runs: 20,
      limit: 0.02,
      change: 0.01,
      low: -0.2,
      smallest_detectable: null,
    },
  },
  holds: [],
  ready_at: null,
  problems: [],
}

const ROLLOUT: Rollout = {
  rollout_id: 'rol_1',
  agent_id: 'bot',
  environment: 'prod',
  candidate_release_id: 'rel_2',
  baseline_release_id: 'rel_1',
  by: 'session',
  reason: 'cheaper',
  state: 'running',
  steps: [
    { share: 0, for: '1h', started_at: at(-1.5), ended_at: at(-0.5) },
    { share: 0.05, for: '1h', started_at: at(-0.5), ended_at: null },
    { share: 0.5, for: '24h', started_at: null, ended_at: null },
  ],
  step: 1,
  share: 0.05,
  limits: { cost_per_run_usd: null, latency_ms: null, error_rate: 0.02 },
  started_by: 'ann',
  started_at: at(-1.5),
  ends_at: at(100),
  hold: null,
  hold_until: null,
  ended_at: null,
  because: null,
  changed_by: 'rollout',
  action_id: null,
  checks: 7,
  last_check: CHECK,
}

const NAMES: Readonly<Record<string, string>> = { rel_1: '1.2.0', rel_2: '1.3.0' }
const said = (more: Partial<Rollout>): string =>
  rolloutSentence({ ...ROLLOUT, ...more }, id => NAMES[id] ?? id, NOW)

const harm = { ...CHECK.metrics.error_rate, alarm: 'sequential' as const, change: 0.12, low: 0.05 }
const last = { step: 2, steps: ROLLOUT.steps.map(step => ({ ...step, started_at: at(-1) })) }

describe('a rollout in a sentence', () => {
  test.each<[string, Partial<Rollout>]>([
    [
      '1.3.0 gets 5 % of the sessions of bot in prod, step 2 of 3; the next step, 50 %, is due in about 30 min.',
      {},
    ],
    [
      '1.3.0 gets 5 % of the tenants of bot in prod, step 2 of 3; the next step, 50 %, is due in about 2 h.',
      { by: 'tenant', last_check: { ...CHECK, holds: ['few runs'], ready_at: at(2) } },
    ],
    [
      '1.3.0 gets 5 % of the sessions of bot in prod, step 2 of 3; it waits: frozen; no runs.',
      { last_check: { ...CHECK, holds: ['frozen', 'no runs'] } },
    ],
    // What a check said of the step before says nothing of this one.
    [
      '1.3.0 gets 50 % of the sessions of bot in prod, step 3 of 3; the policy decides on its promotion in about 23 h.',
      { ...last, last_check: { ...CHECK, holds: ['frozen'] } },
    ],
    [
      '1.3.0 gets 5 % of the sessions of bot in prod, step 2 of 3; it waits: few runs.',
      { last_check: { ...CHECK, holds: ['few runs'], ready_at: at(-1) } },
    ],
    // A step that waited for its time alone is due, although nobody has checked since.
    [
      '1.3.0 gets 5 % of the sessions of bot in prod, step 2 of 3; the next step, 50 %, is due now.',
      {
        steps: ROLLOUT.steps.map(step => ({ ...step, started_at: at(-1) })),
        last_check: { ...CHECK, holds: ['the step takes 1h'], ready_at: at(0) },
      },
    ],
    [
      '1.3.0 is paused at 5 % of the sessions of bot in prod, step 2 of 3: bea: lunch. The split stays.',
      { state: 'paused', because: 'paused: lunch', changed_by: 'bea' },
    ],
    [
      '1.3.0 is paused at 5 % of the sessions of bot in prod, step 2 of 3: assignment is broken. The split stays.',
      { state: 'paused', because: 'assignment is broken' },
    ],
    [
      '1.3.0 was aborted at 5 % of the sessions of bot in prod, after about 90 min: errors +12.0 points (at least +5.0 points), limit +2.0 points. All get 1.2.0.',
      {
        state: 'aborted',
        because: 'error_rate +12.0 points',
        ended_at: at(0),
        last_check: { ...CHECK, metrics: { error_rate: harm } },
      },
    ],
    [
      '1.3.0 was aborted at 5 % of the sessions of bot in prod, after about 90 min: bea: complaints. All get 1.2.0.',
      { state: 'aborted', because: 'aborted: complaints', changed_by: 'bea', ended_at: at(0) },
    ],
    [
      '1.3.0 was promoted for all sessions of bot in prod, after about 90 min.',
      { state: 'completed', step: 3, ended_at: at(0), hold: { share: 0.05, for: '1h' }, hold_until: at(-1) },
    ],
    [
      '1.3.0 was promoted for all sessions of bot in prod, after about 90 min; 5 % stay on 1.2.0 until 2026-01-31 13:00 UTC.',
      { state: 'completed', step: 3, ended_at: at(0), hold: { share: 0.05, for: '1h' }, hold_until: at(1) },
    ],
    [
      '1.3.0 was superseded at 5 % of the sessions of bot in prod, after about 90 min: cho: 1.2.0 went live (rollback, act_7).',
      {
        state: 'superseded',
        because: 'rel_1 went live (rollback, act_7)',
        changed_by: 'cho',
        ended_at: at(0),
      },
    ],
    [
      '1.3.0 was promoted by hand at 5 % of the sessions of bot in prod, after about 90 min: cho: 1.3.0 went live (promote, act_7).',
      {
        state: 'superseded',
        because: 'rel_2 went live (promote, act_7)',
        changed_by: 'cho',
        ended_at: at(0),
      },
    ],
    [
      '1.3.0 was made live by a rollback by hand at 5 % of the sessions of bot in prod, after about 90 min: cho: 1.3.0 went live (rollback, act_7).',
      {
        state: 'superseded',
        because: 'rel_2 went live (rollback, act_7)',
        changed_by: 'cho',
        ended_at: at(0),
      },
    ],
    [
      '1.3.0 expired at 5 % of the sessions of bot in prod, after about 90 min: its time has ended at 5 %.',
      { state: 'expired', because: 'its time has ended at 5 %', ended_at: at(0) },
    ],
  ])('%s', (sentence, more) => {
    expect(said(more)).toBe(sentence)
  })

  test('says what is left of its step, or that it waits', () => {
    expect(leftText(ROLLOUT, NOW)).toBe('30 min left')
    expect(leftText({ ...ROLLOUT, last_check: { ...CHECK, holds: ['frozen'] } }, NOW)).toBe('waits')
    expect(leftText({ ...ROLLOUT, last_check: null }, NOW)).toBe('30 min left')
  })
})

describe('a rollout at a terminal', () => {
  const io = { env: {}, outIsTty: false, outColumns: undefined } as unknown as Io
  const shown = (more: Partial<Rollout>): string => rolloutText({ ...ROLLOUT, ...more }, io, NOW)
  const hold = { share: 0.05, for: '7d' }

  test('says what stays on the old release, stayed there, or would', () => {
    const completed = { state: 'completed', step: 3, ended_at: at(-1), hold } as const
    expect(shown({ hold })).toContain('\n5 % stay on rel_1 for 7d after completion\n')
    expect(shown({ ...completed, hold_until: at(1) })).toContain(
      '\n5 % stay on rel_1 until 2026-01-31 13:00 UTC\n',
    )
    expect(shown({ ...completed, hold_until: at(0) })).toContain(
      '\n5 % stayed on rel_1 until 2026-01-31 12:00 UTC; the hold has ended\n',
    )
    expect(shown({ state: 'aborted', hold, ended_at: at(0) })).not.toContain('stay')
  })

  test('says when it is about ready until that time is over', () => {
    const readyAt = (hours: number) =>
      shown({ last_check: { ...CHECK, holds: ['few runs'], ready_at: at(hours) } })
    expect(readyAt(1)).toContain('waits: few runs\nabout ready at 2026-01-31 13:00 UTC\n')
    expect(readyAt(0)).toMatch(/; it waits: few runs\.\n[^]*waits: few runs\n$/)
  })
})
