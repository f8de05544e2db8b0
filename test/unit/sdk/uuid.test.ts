import { expect, test } from 'vitest'
import { uuidv7 } from '../../../src/sdk/uuid.ts'

test('an id is a UUIDv7 that holds its time', () => {
  const now = Date.now() + 3_600_000
  const id = uuidv7(now)
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(now)
})

test('ids sort as they were made, also within a millisecond and when the clock is set back', () => {
  const start = Date.now() + 7_200_000
  const ids = Array.from({ length: 20_000 }, (_, index) =>
    uuidv7(start + (index % 7) - Math.floor(index / 5000)),
  )
  expect([...ids].sort()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})
