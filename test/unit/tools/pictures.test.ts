import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { demoPicture } from '../../../tools/pictures/demo.ts'

test('docs/images/demo.svg is what `svc demo` prints; node tools/demo_picture.ts records it', async () => {
  expect(readFileSync(join(ROOT_PATH, 'docs/images/demo.svg'), 'utf8')).toBe(await demoPicture())
})

test('the README shows it, and has at most 110 lines', () => {
  const readme = readFileSync(join(ROOT_PATH, 'README.md'), 'utf8')
  expect(readme).toContain('](docs/images/demo.svg)')
  expect(readme.split('\n').length - 1).toBeLessThanOrEqual(110)
})
