import { describe, expect, test } from 'vitest'
import { PRICES } from '../../support/services/builders.ts'
import { makeWorkspace, withDatabase } from '../../support/processes/cli.ts'

const EXISTS = /^svc: Price table acme\/v1 exists already; .*--replace --reason.*\n$/
const NEEDS_REASON = 'svc: Replacing a price table needs a non-empty reason (--reason).\n'

const entry = { model: 'm', input_usd_per_1k_tokens: 1, output_usd_per_1k_tokens: 0 }
const MISTAKES = [
  [
    { ...PRICES, entries: [{ ...entry, input_usd_per_1k_tokens: -1 }] },
    'entries[0].input_usd_per_1k_tokens must be',
  ],
  [
    { ...PRICES, entries: [{ ...entry, cached_input_usd_per_1k_token: 1 }] },
    'entries[0].cached_input_usd_per_1k_token is not a known field (did you mean cached_input_usd_per_1k_tokens?)',
  ],
  [{ ...PRICES, entries: [entry, entry] }, 'entries[1].model must be listed once'],
  [{ provider: 'acme', pricing_version: 'v1' }, 'entries is required'],
  [[PRICES], 'is required'],
  ['', 'is empty: it has no document'],
  ['provider: [', 'yaml, line '],
] as const

describe.concurrent('svc pricing import', () => {
  test('replaces a table only when asked to and told why, and keeps the old one on record', async () => {
    const workspace = makeWorkspace({})
    const { svc, write } = workspace
    const show = () => svc('pricing', 'show', '--provider', 'acme', '--version', 'v1')
    write('prices.yaml', PRICES)
    write('dearer.yaml', {
      ...PRICES,
      entries: [{ model: 'm1', input_usd_per_1k_tokens: 9, output_usd_per_1k_tokens: 9 }],
    })
    const first = await svc('pricing', 'import', 'prices.yaml')
    const odd = /^svc: warning: price table acme\/v1: m2 costs 2 USD per 1,000 input tokens, .*\n$/
    expect(first).toMatchObject({ code: 0, stderr: expect.stringMatching(odd) })
    expect(first.stdout).toMatch(/^imported acme\/v1 {2}pim_[0-9a-f]{12}\n$/)
    const before = await show()

    expect(await svc('pricing', 'import', 'dearer.yaml')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(EXISTS),
    })
    for (const reason of [[], ['--reason', ''], ['--reason', '  ']]) {
      const unexplained = await svc('pricing', 'import', 'dearer.yaml', '--replace', ...reason)
      expect(unexplained).toEqual({ code: 1, stdout: '', stderr: NEEDS_REASON })
    }
    expect(await show()).toEqual(before)

    const replaced = await svc('pricing', 'import', '--replace', 'dearer.yaml', '--reason', '-5% from May')
    expect(replaced.code).toBe(0)
    expect(replaced.stdout).toMatch(/^replaced acme\/v1 {2}pim_[0-9a-f]{12}\n$/)
    expect(JSON.parse((await show()).stdout)).toMatchObject({
      entries: [{ model: 'm1', input_usd_per_1k_tokens: 9 }],
    })
    const { rows } = await withDatabase(workspace, client =>
      client.execute('SELECT action, actor, reason, old_pricing_json FROM pricing_imports ORDER BY seq'),
    )
    expect(rows.map(({ action, actor, reason }) => [action, actor, reason])).toEqual([
      ['insert', 'tester', null],
      ['replace', 'tester', '-5% from May'],
    ])
    expect(rows[0]!.old_pricing_json).toBeNull()
    expect(JSON.parse(rows[1]!.old_pricing_json as string)).toEqual(JSON.parse(before.stdout))
  })

  test('refuses a table with a mistake and names the file', async () => {
    const { svc, write } = makeWorkspace({})
    await Promise.all(
      MISTAKES.map(async ([content, message], index) => {
        const name = write(`prices-${index}.yaml`, content)
        const { code, stdout, stderr } = await svc('pricing', 'import', name)
        expect({ name, code, stdout }).toEqual({ name, code: 1, stdout: '' })
        expect(stderr).toMatch(/^svc: prices-\d+\.yaml.*\n$/)
        expect(stderr).toContain(message)
      }),
    )
    const shown = await svc('pricing', 'show', '--provider', 'acme', '--version', 'v1')
    expect(shown.stderr).toBe('svc: No price table acme/v1 is imported.\n')
  })
})

describe.concurrent('svc pricing show', () => {
  test('takes a version exactly as it is typed', async () => {
    const { svc, write, ok } = makeWorkspace({})
    for (const pricing_version of ['1.10', '1.1', '-1', '0x10', 'a/b c']) {
      write('prices.yaml', { ...PRICES, pricing_version })
      await ok('pricing', 'import', 'prices.yaml')
      const shown = await ok('pricing', 'show', '--provider', 'acme', '--version', pricing_version)
      expect(JSON.parse(shown)).toMatchObject({ provider: 'acme', pricing_version })
    }
    const missing = await svc('pricing', 'show', '--version', '1.100', '--provider', 'acme')
    expect(missing.code).toBe(1)
    expect(missing.stderr).toMatch(/^svc: No price table acme\/1\.100 is imported; .*1\.1, 1\.10.*\n$/)
  })
})

describe.concurrent('svc pricing check', () => {
  test('calls bundled tables STALE that are older than N days, and no others', async () => {
    const { svc, write, ok } = makeWorkspace({})
    for (const days of [89, 91]) {
      write('prices.yaml', {
        ...PRICES,
        provider: `p${days}`,
        pricing_version: `svc-bundled-${daysAgo(days)}`,
      })
      await ok('pricing', 'import', 'prices.yaml')
    }
    write('prices.yaml', { ...PRICES, pricing_version: daysAgo(900) })
    await ok('pricing', 'import', 'prices.yaml')

    const stale = async (...args: string[]) => {
      const { code, stdout } = await svc('pricing', 'check', ...args)
      const lines = stdout
        .trim()
        .split('\n')
        .map(line => line.split('\t'))
      return [code, ...lines.map(([state, name]) => `${state} ${name!.split('/')[0]}`)]
    }
    expect(await stale()).toEqual([0, 'OK p89', 'STALE p91'])
    expect(await stale('--fail')).toEqual([1, 'OK p89', 'STALE p91'])
    expect(await stale('--max-age-days', '10', '--fail')).toEqual([1, 'STALE p89', 'STALE p91'])
    expect(await stale('--fail', '--max-age-days', '91')).toEqual([0, 'OK p89', 'OK p91'])
    for (const days of ['-1', '1.5', 'x']) {
      expect(await svc('pricing', 'check', '--max-age-days', days)).toEqual({
        code: 1,
        stdout: '',
        stderr: `svc: --max-age-days must be a whole number (it is '${days}').\n`,
      })
    }
  })
})

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}
