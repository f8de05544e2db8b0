import { expect, test } from 'vitest'
import { keepLedger } from '../../../../src/ledger/decide/keep_ledger.ts'
import { testService } from '../../../support/services/service.ts'

test('upkeep of a feature that fails does not hold up that of the others', async () => {
  const { context } = await testService()
  const done: string[] = []
  const feature = (name: string, isBroken: boolean) => async () => async () => {
    done.push(name)
    if (isBroken) throw new Error(`${name} is broken`)
  }
  const upkeep = [feature('first', true), feature('second', true), feature('third', false)]
  const kept = keepLedger(
    { ...context, features: { ...context.features, upkeep } },
    {
      version: '1',
      pace: {} as Parameters<typeof keepLedger>[1]['pace'],
    },
  )
  await expect(kept).rejects.toThrow('first is broken')
  expect(done).toEqual(['first', 'second', 'third'])
})
