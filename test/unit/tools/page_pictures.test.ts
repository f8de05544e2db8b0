import { globSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'

const IMAGES = join(ROOT_PATH, 'docs/images')
const pictures = readdirSync(IMAGES)
const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT_PATH })]

/** Most bytes of a picture. */
const MOST = 60_000

test('pictures are small, and a page shows each', () => {
  const text = pages.map(path => readFileSync(join(ROOT_PATH, path), 'utf8')).join('\n')
  expect(pictures.filter(name => name.endsWith('.webp'))).toHaveLength(5)
  expect(pictures.filter(name => !text.includes(`images/${name})`))).toEqual([])
  expect(pictures.filter(name => statSync(join(IMAGES, name)).size > MOST)).toEqual([])
})
