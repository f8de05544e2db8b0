import { expect, test } from 'vitest'
import { tags } from '../../../handlers/index.ts'
import { behind, readSources } from '../../../tools/house/imports.ts'

test.for(Object.entries(tags))('the endpoints of the tag %s lie in its folder', ([tag, { routes }]) => {
  for (const load of Object.values(routes)) expect(String(load)).toContain(`/${tag}/`)
})

test('nothing that is installed loads arktype: it is there to build and to test', () => {
  const sources = readSources()
  const roots = ['src/entry/main.ts', 'src/entry/worker.ts', 'handlers/index.ts', 'src/sdk/index.ts']
  const running = behind(sources, roots, ['value', 'lazy'])
  const loading = sources.filter(({ text }) => /^import (?!type ).* from 'arktype'$/m.test(text))
  expect(loading.length).toBeGreaterThan(20)
  expect(loading.filter(({ path }) => running.has(path)).map(({ path }) => path)).toEqual([])
})
