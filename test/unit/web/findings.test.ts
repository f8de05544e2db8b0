import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FINDINGS } from '../../web/findings.ts'

test.each(Object.entries(FINDINGS))('each finding has a test that asks for it: %s', (_, findings) => {
  const missing = findings.filter(([, file, title]) => {
    const text = readFileSync(new URL(`../../${file}.test.ts`, import.meta.url), 'utf8')
    return ![`'${title}'`, `"${title}"`].some(quoted => text.includes(`(${quoted}`))
  })
  expect(missing).toEqual([])
})
