import { describe, expect, test } from 'vitest'
import { register } from '../../../support/services/builders.ts'
import {
  promotedBaseline,
  actionsOf,
  decision,
  pointerOf,
  promote,
  refusal,
  rollback,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import type { MakeService } from '../../../support/services/service.ts'

const BOTH = ['promote', 'rollback'] as const

/** Decisions that are not made, and of which nothing is kept. */
export function refusedDecisionsContract(makeService: MakeService): void {
  describe('a decision is refused and not recorded', () => {
    test.each(BOTH.flatMap(action => ['', ' ', '\t\n'].map(reason => [action, reason] as const)))(
      '%s for the reason %j',
      async (action, reason) => {
        const { service, candidate } = await promotedBaseline(makeService)
        const answer = service.call(`POST /v1/${action}`, { body: decision(candidate, { reason }) })
        expect(await refusal(answer, 400)).toMatch(/^Reason is required for promote\/rollback actions/)
        expect(await actionsOf(service)).toHaveLength(1)
      },
    )

    test.each(BOTH)('%s of an unknown release', async action => {
      const { service } = await promotedBaseline(makeService)
      const answer = service.call(`POST /v1/${action}`, { body: decision('rel_none') })
      expect(await refusal(answer, 400)).toBe('Unknown release: rel_none')
      expect(await actionsOf(service)).toHaveLength(1)
    })

    test.each(BOTH)('%s for an invalid window', async action => {
      const { service, candidate } = await promotedBaseline(makeService)
      const answer = service.call(`POST /v1/${action}`, { body: decision(candidate, { window: '7w' }) })
      expect(await refusal(answer, 400)).toMatch(/^Invalid window/)
      expect(await actionsOf(service)).toHaveLength(1)
    })

    test('also a first promotion for an invalid window', async () => {
      const service = await makeService()
      const release = await register(service)
      expect(await refusal(promote(service, release, { window: '0h' }), 400)).toMatch(/^Invalid window/)
      expect(await pointerOf(service)).toBeUndefined()
    })

    test.each(BOTH.flatMap(action => FAULTS.map(fault => [action, ...fault] as const)))(
      '%s with %s = %j',
      async (action, field, value) => {
        const service = await makeService()
        const body = decision('rel_a', { [field]: value })
        expect(await unprocessableAt(service.call(`POST /v1/${action}`, { body }))).toEqual([['body', field]])
      },
    )

    test('where the workspace requires approval, which a rollback does not need', async () => {
      const service = await makeService({ workspace: { promotion_requires_approval: true } })
      const release = await register(service)
      expect(await refusal(promote(service, release), 400)).toMatch(/approval/)
      expect(await actionsOf(service)).toEqual([])
      expect(await refusal(rollback(service, release), 400)).toMatch(/^No promoted release exists/)
    })
  })
}

const FAULTS: readonly (readonly [field: string, value: unknown])[] = [
  ['release_id', undefined],
  ['environment', undefined],
  ['environment', null],
  ['environment', ''],
  ['window', undefined],
  ['reason', undefined],
  ['reason', null],
  ['reason', 5],
  ['reason', 'a\0'],
  ['actor', 5],
  ['dry_run', 'yes'],
  ['force', 'yes'],
]
