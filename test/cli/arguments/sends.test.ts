import { expect, test } from 'vitest'
import { routes } from '../../../handlers/index.ts'
import { namesIn, shapesOf } from '../../../src/http/endpoint/read_input.ts'
import { COMMANDS } from '../../../tools/commands.ts'

/** Options that say how svc works, not what it sends. */
const OF_SVC = ['url', 'profile', 'output', 'header']

test('a command sends no option that its route does not take', async () => {
  let sent = 0
  for (const { name, options = [], load } of COMMANDS) {
    const { sends } = await load()
    if (sends === undefined) continue
    const { path, query, body } = shapesOf((await routes[sends.route]()).default.spec)
    const known = [path, query, body].flatMap(shape => (shape === undefined ? [] : namesIn(shape)))
    for (const { flags } of options) {
      const option = /--([a-z-]+)(?: <.*)?$/.exec(flags)![1]!
      const field = sends.as[option] === undefined ? option.replaceAll('-', '_') : sends.as[option]
      if (OF_SVC.includes(option) || field === null) continue
      expect(known, name).toContain(field)
      sent += 1
    }
  }
  expect(sent).toBeGreaterThan(30)
})
