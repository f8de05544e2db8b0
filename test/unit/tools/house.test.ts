import { expect, test } from 'vitest'
import { tags } from '../../../handlers/index.ts'

test.for(Object.entries(tags))('the endpoints of the tag %s lie in its folder', ([tag, { routes }]) => {
  for (const load of Object.values(routes)) expect(String(load)).toContain(`/${tag}/`)
})
