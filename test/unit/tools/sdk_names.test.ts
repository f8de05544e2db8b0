import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { idleNames } from '../../../tools/sdk_types.ts'

test('each name for an object of several types is one of the SDK', () => {
  expect(idleNames(readFileSync(join(ROOT_PATH, 'src/sdk/types.ts'), 'utf8'))).toEqual([])
  expect(idleNames('')).toContain('WindowUsed')
})
