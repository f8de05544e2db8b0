import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { takingTurns } from '../../../src/runtime/node/turns.ts'

const busyFor = (ms: number): void => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('several that are busy take turns, one to a round of the loop', async () => {
  const nextTurn = takingTurns()
  const order: string[] = []
  const work = async (name: string): Promise<void> => {
    for (let slice = 0; slice < 5; slice++) {
      await nextTurn()
      order.push(name)
      busyFor(12)
    }
  }
  const state = { isOver: false }
  const watch = async (): Promise<void> => {
    while (!state.isOver) {
      await turnOfLoop()
      order.push('-')
    }
  }
  const watching = watch()
  await Promise.all(['a', 'b', 'c'].map(work))
  state.isOver = true
  await watching
  expect(order.join('')).not.toMatch(/[abc][abc]/)
  expect(order.filter(name => name !== '-').join('')).toBe('abcabcabcabcabc')
})

test('who is not busy does not wait', async () => {
  const nextTurn = takingTurns()
  await nextTurn()
  expect(nextTurn()).toBeUndefined()
  busyFor(12)
  expect(nextTurn()).toBeInstanceOf(Promise)
})
