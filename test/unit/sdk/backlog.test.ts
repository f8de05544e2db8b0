import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Backlog } from '../../../src/sdk/event_queue.ts'

type Step = { push: string } | { take: number } | { putBack: true }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ push: fc.string({ maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ take: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ putBack: fc.constant(true as const) }) },
)

test('a backlog is a list that loses its oldest beyond the bound', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 200 }), (max, steps) => {
      const backlog = new Backlog(max)
      let model: string[] = []
      let taken: string[] = []
      for (const next of steps) {
        if ('push' in next) {
          const lost = backlog.push(next.push, taken.length)
          model.push(next.push)
          const surplus = Math.min(model.length, Math.max(0, model.length + taken.length - max))
          expect(lost).toEqual(model.splice(0, surplus))
        } else if ('take' in next && taken.length === 0) {
          taken = backlog.take(next.take)
          expect(taken).toEqual(model.slice(0, next.take))
          model = model.slice(next.take)
        } else if ('putBack' in next) {
          const lost = backlog.putBack(taken)
          model = [...taken, ...model]
          expect(lost).toEqual(model.splice(0, Math.max(0, model.length - max)))
          taken = []
        }
        expect(backlog.length).toBe(model.length)
        expect(backlog.length + taken.length).toBeLessThanOrEqual(max)
      }
      expect(backlog.take(1000)).toEqual(model)
    }),
  )
})

test('a backlog is bounded in characters as well', () => {
  const backlog = new Backlog(1000)
  const large = 'x'.repeat(1_000_000)
  let lost = 0
  for (let index = 0; index < 100; index++) lost += backlog.push(large, 0).length
  expect([backlog.length, lost]).toEqual([64, 36])
  // One request holds 4 million characters.
  expect(backlog.take(500)).toHaveLength(4)
})

test('a backlog that is used for long keeps no memory of what is gone', () => {
  const backlog = new Backlog(10)
  for (let index = 0; index < 100_000; index++) backlog.push(String(index), 0)
  expect(backlog.take(10)).toEqual(Array.from({ length: 10 }, (_, index) => String(99_990 + index)))
})
