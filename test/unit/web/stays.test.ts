import { expect, test } from 'vitest'
import { huesOf, staysOf } from '../../../src/web/pages/agent/stays.ts'

const at = (hour: number): string => `2026-11-20T${String(hour).padStart(2, '0')}:00:00.000Z`
const ms = (hour: number): number => Date.parse(at(hour))

function decided(hour: number, release_id: string, more: object = {}) {
  const usual = { action: 'promote', environment: 'prod', policy_passed: true } as const
  return { ...usual, release_id, created_at: at(hour), ...more }
}

test('a release is live from the decision that moved there to the next that moved on', () => {
  const stays = staysOf([
    decided(9, 'a', { action: 'rollback', policy_passed: false, forced: true }),
    decided(7, 'c', { policy_passed: false }),
    decided(6, 'b'),
    decided(5, 'a'),
    decided(4, 'a'),
    decided(3, 'z', { environment: 'staging' }),
  ])
  expect(stays).toEqual([
    { environment: 'staging', release_id: 'z', since: ms(3), until: null },
    { environment: 'prod', release_id: 'a', since: ms(4), until: ms(6) },
    { environment: 'prod', release_id: 'b', since: ms(6), until: ms(9) },
    { environment: 'prod', release_id: 'a', since: ms(9), until: null },
  ])
})

test('each release has one colour; those beyond the last share it', () => {
  const hues = huesOf(['a', 'b', 'a', 'c', 'd', 'e', 'f', 'g'])
  expect([...hues.values()]).toEqual(['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r5'])
})
