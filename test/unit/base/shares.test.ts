import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Shares, TimeShare } from '../../../src/base/shares.ts'

const NOW = (): number => 0

test('no more is out than there is, and who came first has it first', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ take: fc.integer({ min: 1, max: 12 }) }),
      fc.record({ giveBack: fc.nat(20) }),
      fc.record({ leave: fc.nat(20) }),
    ),
  )
  fc.assert(
    fc.property(steps, given => {
      const shares = new Shares(10)
      const requests: { amount: number; giveBack?: () => void; leave: () => void; isOver: boolean }[] = []
      const begun: number[] = []
      for (const step of given) {
        if ('take' in step) {
          const place = requests.length
          const one = { amount: step.take, leave: () => {}, isOver: false } as (typeof requests)[number]
          requests.push(one)
          one.leave = shares.take(step.take, NOW, giveBack => {
            one.giveBack = giveBack
            begun.push(place)
          })
        } else if ('giveBack' in step) {
          const one = requests[step.giveBack]
          if (one?.giveBack === undefined) continue
          one.isOver = true
          one.giveBack()
          one.giveBack()
        } else {
          const one = requests[step.leave]
          if (one === undefined) continue
          one.leave()
          if (one.giveBack === undefined) one.isOver = true
        }
        const out = requests.filter(one => one.giveBack !== undefined && !one.isOver)
        const sum = out.reduce((total, { amount }) => total + Math.min(amount, 10), 0)
        expect(sum).toBeLessThanOrEqual(10)
        const waiting = requests.filter(one => one.giveBack === undefined && !one.isOver)
        expect(shares.waiting).toBe(waiting.length)
        // Nobody waits for what is there.
        expect(waiting.length > 0 && sum + Math.min(waiting[0]!.amount, 10) <= 10).toBe(false)
      }
      expect(begun).toEqual(begun.toSorted((a, b) => a - b))
    }),
  )
})

test('what is there at once is told without taking it', () => {
  const shares = new Shares(2)
  expect([shares.has(2, 0), shares.has(3, 0)]).toEqual([true, true])
  shares.take(1, NOW, () => {})
  expect([shares.has(1, 0), shares.has(2, 0)]).toEqual([true, false])
  shares.take(2, NOW, () => {})
  // One waits, which comes first.
  expect(shares.has(1, 0)).toBe(false)
})

test('a share that is never given back lapses', () => {
  const shares = new Shares(1, 60_000)
  shares.take(1, NOW, () => {})
  let begun = 0
  const leave = shares.take(
    1,
    () => 59_999,
    () => begun++,
  )
  leave()
  shares.take(
    1,
    () => 60_000,
    () => begun++,
  )
  expect(begun).toBe(1)
})

test('work without a pause takes its share of all time, after what it may take at once', () => {
  const share = new TimeShare(100, 1 / 20)
  let [now, worked] = [0, 0]
  while (now < 60_000) {
    if (share.leftMs(now) > 0) {
      now += 30
      worked += 30
      share.take(30, now)
    } else {
      const restMs = share.restMs(now)
      expect(restMs).toBeGreaterThanOrEqual(0)
      now += Math.max(1, restMs)
    }
  }
  expect(worked).toBeGreaterThanOrEqual(3000)
  expect(worked).toBeLessThanOrEqual(3000 + 100 + 30)
  // Neither one long piece of work nor a long pause counts for more than that.
  share.take(10_000, now)
  expect([share.leftMs(now), share.restMs(now)]).toEqual([-100, 2000])
  expect([share.leftMs(now + 3_600_000), share.restMs(now + 3_600_000)]).toEqual([100, 0])
})
