import { expect, test } from 'vitest'
import { HOUR_MS, isoTime } from '../../../../src/base/time.ts'
import { findingChanges } from '../../../../src/features/live/rules_findings.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const KEY = 'max_error_rate' as const
const BROKEN = {
  limit_key: KEY,
  limit: 0.03,
  minutes: 20,
  runs: 20,
  value: 0.3,
  at_least: 0.1,
  text: 'it fails',
} as const
const PLACE = {
  agent_id: 'bot',
  environment: 'prod',
  release_id: 'rel_2',
  version: '2',
  previous_release_id: 'rel_1',
  state: 'worse',
  runs_last_hour: 60,
  runs_last_day: 60,
  silence: null,
  other_model: null,
  not_checked: [] as string[],
} as const

const JUDGED = { above: [], kept: [], uncompared: [] }

function changes(
  { broken = true, above = false, kept = true }: Partial<Record<'broken' | 'above' | 'kept', boolean>>,
  ...open: (readonly [release: string, ageMs: number])[]
): string[] {
  const judged = {
    ...JUDGED,
    place: { ...PLACE, broken: broken ? [BROKEN] : [] },
    above: above ? [KEY] : [],
    kept: kept ? [KEY] : [],
  }
  const findings = open.map(([release_id, age]) => ({ limit_key: KEY, release_id, began_at: NOW - age }))
  return findingChanges(judged, findings, NOW).map(({ kind, reason }) => `${kind}: ${reason}`)
}

test('a finding begins once, and ends after an hour in which nothing proves it and the limit is kept', () => {
  expect(changes({})).toEqual(['live.worse: it fails'])
  expect(changes({}, ['rel_2', HOUR_MS])).toEqual([])
  expect(changes({ broken: false }, ['rel_2', HOUR_MS - 1])).toEqual([])
  expect(changes({ broken: false, above: true }, ['rel_2', HOUR_MS])).toEqual([])
  expect(changes({ broken: false }, ['rel_2', HOUR_MS])).toEqual([
    'live.recovered: max_error_rate is no longer broken',
  ])
  expect(changes({ broken: false })).toEqual([])
})

test('the end of a finding says that it has mended only where runs keep the limit', () => {
  expect(changes({ broken: false, kept: false }, ['rel_2', HOUR_MS])).toEqual([
    'live.recovered: max_error_rate is no longer proven to be broken',
  ])
  const uncompared = ['it is no longer compared with 1: it is live for more than 7 days']
  const open = [{ limit_key: 'max_cost_increase_pct' as const, release_id: 'rel_2', began_at: NOW - HOUR_MS }]
  const judged = { ...JUDGED, uncompared, place: { ...PLACE, broken: [] } }
  const reasons = (kept: readonly 'max_cost_increase_pct'[]): unknown =>
    findingChanges({ ...judged, kept }, open, NOW).map(({ reason }) => reason)
  expect(reasons([])).toEqual([
    'max_cost_increase_pct is no longer proven to be broken; it is no longer compared with 1: it is live for more ' +
      'than 7 days',
  ])
  expect(reasons(['max_cost_increase_pct'])).toEqual(['max_cost_increase_pct is no longer broken'])
})

test('another model is a finding until runs came without it for an hour', () => {
  const other_model = { model: 'm9', runs: 12, of: 60, hours: 1, text: 'm9 answered' }
  const kinds = (place: Partial<Parameters<typeof findingChanges>[0]['place']>, ageMs?: number): string[] => {
    const open =
      ageMs === undefined
        ? []
        : [{ limit_key: 'other_model' as const, release_id: 'rel_2', began_at: NOW - ageMs }]
    const judged = { ...JUDGED, place: { ...PLACE, broken: [], ...place } }
    return findingChanges(judged, open, NOW).map(({ kind }) => kind)
  }
  expect(kinds({ other_model })).toEqual(['live.other_model'])
  expect(kinds({ other_model }, HOUR_MS)).toEqual([])
  expect(kinds({}, HOUR_MS - 1)).toEqual([])
  expect(kinds({ runs_last_hour: 0 }, HOUR_MS)).toEqual([])
  expect(kinds({}, HOUR_MS)).toEqual(['live.recovered'])
})

test('a finding of a release that was replaced ends at once, and another may begin', () => {
  const ended = 'live.recovered: rel_2 is live now'
  expect(changes({ broken: false }, ['rel_1', 1])).toEqual([ended])
  expect(changes({}, ['rel_1', 1])).toEqual([ended, 'live.worse: it fails'])
})

test('entries name the place, the release and the figures, or since when', () => {
  const place = { ...PLACE, broken: [BROKEN] }
  const [begun] = findingChanges({ ...JUDGED, place }, [], NOW)
  const { text: _, ...figures } = BROKEN
  const named = { agent_id: 'bot', environment: 'prod' }
  expect(begun!.details).toEqual({ ...named, release_id: 'rel_2', ...figures })
  const open = { limit_key: KEY, release_id: 'rel_1', began_at: NOW - 1 }
  const [ended] = findingChanges({ ...JUDGED, place: { ...place, broken: [] } }, [open], NOW)
  expect(ended!.details).toEqual({ ...named, release_id: 'rel_1', limit_key: KEY, since: isoTime(NOW - 1) })
})
