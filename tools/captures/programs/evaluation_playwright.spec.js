import { expect, test } from '@playwright/test'

test.describe('refunds', () => {
  test('answers within policy', () => expect(1).toBe(1))
  test('asks for the order', () => expect(1, 'it did not ask').toBe(2))
  test('succeeds at the second try', () => expect(test.info().retry).toBe(1))
  test.skip('speaks French', () => {})
})
