import { parse } from 'yaml'
import { describe, expect, test } from 'vitest'
import { PRICES } from '../../support/services/builders.ts'
import { makeWorkspace } from '../../support/processes/cli.ts'

describe.concurrent('svc release init', () => {
  test('scaffolds further agents that can be registered as they are', async () => {
    const { svc, ok, read } = makeWorkspace()
    await ok('init', '--release', 'agents/support-bot')
    const again = await svc('init', '--release', 'agents/triage-bot')
    expect(again).toMatchObject({ code: 1, stdout: '' })
    expect(again.stderr).toContain('`svc release init agents/triage-bot` writes the release.yaml alone.')
    for (const agent of ['triage-bot', 'my bot']) {
      const made = await svc('release', 'init', `agents/${agent}`)
      expect(made).toMatchObject({ code: 0, stdout: `wrote agents/${agent}/release.yaml\n` })
      expect(made.stderr).toContain('svc release register ')
      const registered = await svc('release', 'register', `agents/${agent}`)
      expect(registered).toMatchObject({ code: 0, stderr: '' })
      expect(await ok('release', 'list')).toContain(`\t${agent}\t0.1.0\t`)
    }
    const own = parse(read('agents/triage-bot/release.yaml')) as { spec: { runtime: object } }
    expect(own.spec.runtime).toEqual({ provider: 'openai', model: 'gpt-4.1-mini' })
  })

  test('takes prices that were imported by hand before the bundled ones, and none where there are none', async () => {
    const { ok, read, write } = makeWorkspace()
    const pricedBy = (folder: string): unknown => {
      const { spec } = parse(read(`${folder}/release.yaml`)) as { spec: Record<string, object> }
      return { ...spec.runtime, ...spec.pricing_reference }
    }
    await ok('init')
    write('prices.yaml', PRICES)
    await ok('pricing', 'import', 'prices.yaml')
    await ok('release', 'init', 'a')
    expect(pricedBy('a')).toEqual({ provider: 'acme', model: 'm1', pricing_version: 'v1' })
    const bare = makeWorkspace({})
    await bare.ok('release', 'init', 'b')
    expect(bare.read('b/release.yaml')).toContain('"my-prices-1"')
  })

  test('leaves what is there, and says what it wants', async () => {
    const { svc, read, write, has } = makeWorkspace({})
    write('bot/release.yaml', '# mine\n')
    write('file', '')
    for (const [dir, message] of [
      ['bot', 'bot/release.yaml exists already; it is not changed.'],
      ['bot/release.yaml', 'bot/release.yaml: give a folder for release.yaml.'],
      ['file', "file/release.yaml can't be written: a part of the path is not a folder."],
    ]) {
      expect(await svc('release', 'init', dir!)).toEqual({
        code: 1,
        stdout: '',
        stderr: `svc: ${message}\n`,
      })
    }
    expect(read('bot/release.yaml')).toBe('# mine\n')
    expect(has('bot/release.yaml/release.yaml')).toBe(false)
  })
})
