import { afterAll } from 'vitest'
import { openD1 } from '../../../src/sql/d1.ts'
import type { Sql } from '../../../src/sql/port.ts'
import { type TestWorkerd, startWorkerd } from './workerd.ts'

/** Gives so many D1 databases in which nothing is yet, of a workerd that ends with the tests of the file. */
export function freshD1(count: number): () => Promise<Sql> {
  const names = Array.from({ length: count }, (_, index) => `FRESH${index}`)
  const left = [...names]
  let workerd: Promise<TestWorkerd> | undefined
  afterAll(async () => (await workerd)?.close())
  return async () => {
    workerd ??= startWorkerd(names)
    return openD1((await workerd).d1(left.pop()!))
  }
}
