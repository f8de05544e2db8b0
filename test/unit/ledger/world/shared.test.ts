import { describe, expect, test } from 'vitest'
import { newShared } from '../../../../src/ledger/world/memo.ts'

/** Answers that a test lets go one by one; each is the number of its turn. */
function answering() {
  const turns: PromiseWithResolvers<number>[] = []
  const answer = (): Promise<number> => {
    const turn = Promise.withResolvers<number>()
    turns.push(turn)
    return turn.promise
  }
  return { turns, answer }
}

describe('a shared answer', () => {
  test('goes to all who asked before it was begun, and to nobody who asked after', async () => {
    const { turns, answer } = answering()
    const shared = newShared<number>()
    const first = shared.ask('a', answer)
    const second = [shared.ask('a', answer), shared.ask('a', answer)]
    expect(turns).toHaveLength(1)
    turns[0]!.resolve(1)
    expect(await first).toBe(1)
    await expect.poll(() => turns.length).toBe(2)
    const third = shared.ask('a', answer)
    turns[1]!.resolve(2)
    expect(await Promise.all(second)).toEqual([2, 2])
    await expect.poll(() => turns.length).toBe(3)
    turns[2]!.resolve(3)
    expect(await third).toBe(3)
  })

  test('is of one question alone', async () => {
    const { turns, answer } = answering()
    const shared = newShared<number>()
    const both = [shared.ask('a', answer), shared.ask('b', answer)]
    expect(turns).toHaveLength(2)
    turns[1]!.resolve(2)
    expect(await both[1]).toBe(2)
    turns[0]!.resolve(1)
    expect(await both[0]).toBe(1)
  })

  test('that fails fails those who wait for it, and not the next', async () => {
    const { turns, answer } = answering()
    const shared = newShared<number>()
    const first = shared.ask('a', answer)
    const second = shared.ask('a', answer)
    turns[0]!.reject(new Error('away'))
    await expect(first).rejects.toThrow('away')
    await expect.poll(() => turns.length).toBe(2)
    turns[1]!.resolve(2)
    expect(await second).toBe(2)
    const later = shared.ask('a', answer)
    await expect.poll(() => turns.length).toBe(3)
    turns[2]!.resolve(3)
    expect(await later).toBe(3)
  })
})
