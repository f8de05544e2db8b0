import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { PICTURES } from '../../../tools/calibration/pictures.ts'

test.each(Object.entries(PICTURES))('docs/images/%s is what npm run calibrate draws', (name, draw) => {
  expect(readFileSync(join(ROOT_PATH, 'docs', 'images', name), 'utf8')).toBe(draw())
  const page = readFileSync(join(ROOT_PATH, 'docs', 'statistics.md'), 'utf8')
  expect(page).toContain(`](images/${name})`)
})
