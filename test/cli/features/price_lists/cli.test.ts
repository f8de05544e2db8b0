import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { PRICES, releaseOf } from '../../../support/services/builders.ts'
import { makeWorkspace, writeEvents } from '../../../support/processes/cli.ts'

const LIST = {
  m1: { litellm_provider: 'acme', mode: 'chat', input_cost_per_token: 2e-6, output_cost_per_token: 8e-6 },
  m2: { litellm_provider: 'acme', mode: 'chat', input_cost_per_token: 1e-6 },
}
const FROM = ['--from', 'litellm', '--provider', 'acme'] as const

describe.concurrent('svc pricing import --from', () => {
  test('shows what changes, asks, and keeps the checksum of the list', async () => {
    const { svc, ok, write } = makeWorkspace({})
    write('prices.yaml', PRICES)
    write('list.json', JSON.stringify(LIST))
    await ok('pricing', 'import', 'prices.yaml')
    const args = ['pricing', 'import', 'list.json', ...FROM, '--version', 'v2', '--model', 'm1']
    const changes = '~ m1  input 1 → 0.002, output 2 → 0.008, cached none → 0.002\n- m2\n'
    const notes =
      'svc: 1 model whose cached input costs what other input costs, for lack of a price of its own: m1\n' +
      'svc: 1 model, 2 other than in acme/v1\n'
    expect(await svc(...args)).toEqual({
      code: 1,
      stdout: changes,
      stderr: `${notes}svc: There is no terminal to confirm this at; add --yes.\n`,
    })
    const done = await svc(...args, '--yes')
    expect(done).toMatchObject({ code: 0, stderr: notes })
    expect(done.stdout).toMatch(/\nimported acme\/v2 {2}pim_[0-9a-f]{12}\n$/)
    expect(JSON.parse(await ok('pricing', 'show', '--provider', 'acme', '--version', 'v2'))).toEqual({
      provider: 'acme',
      pricing_version: 'v2',
      entries: [
        {
          model: 'm1',
          input_usd_per_1k_tokens: 0.002,
          output_usd_per_1k_tokens: 0.008,
          cached_input_usd_per_1k_tokens: 0.002,
        },
      ],
      source: { format: 'litellm', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
  })

  test('takes what has a price of all models of a provider', async () => {
    const { svc, write } = makeWorkspace({})
    write('list.json', JSON.stringify(LIST))
    const done = await svc('pricing', 'import', 'list.json', ...FROM, '--version', 'v2', '--yes')
    expect(done.code).toBe(0)
    expect(done.stderr).toContain(
      'svc: left out 1 model without a price per token for input or output: m2 (priced by input_cost_per_token)\n',
    )
  })

  test.each([
    [
      ['--from', 'excel', '--provider', 'acme', '--version', 'v2'],
      '--from must be one of litellm, genai-prices.',
    ],
    [['--from', 'litellm', '--provider', 'acme'], '--from needs --provider and --version.'],
    [
      [...FROM, '--version', 'v2', '--model', 'm2'],
      'list.json: the list has 1 model without a price per token for input or output: m2 (priced by input_cost_per_token).',
    ],
    [
      [...FROM, '--version', 'v2', '--model', 'm9'],
      'list.json: the list has no m9 of this provider (did you mean m1?).',
    ],
    [
      ['--from', 'litellm', '--provider', 'nobody', '--version', 'v2'],
      'the list has no models of this provider',
    ],
  ])('refuses %j', async (args, problem) => {
    const { svc, write } = makeWorkspace({})
    write('list.json', JSON.stringify(LIST))
    const { code, stdout, stderr } = await svc('pricing', 'import', 'list.json', ...args, '--yes')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(problem)
  })
})

test('svc pricing check RELEASE says which models of the last 7 days have no price', async () => {
  const workspace = makeWorkspace({})
  const { svc, ok, write } = workspace
  write('prices.yaml', PRICES)
  write('bot/release.yaml', releaseOf({}))
  await ok('pricing', 'import', 'prices.yaml')
  const release_id = await ok('release', 'register', 'bot')
  expect(await svc('pricing', 'check', release_id)).toEqual({
    code: 0,
    stdout: `OK\t${release_id}\tm1\t0 runs\tacme/v1\n`,
    stderr: `svc: ${release_id} has no runs in the last 7 days\n`,
  })
  write('bot/release.yaml', releaseOf({ model: 'm8' }))
  const unpriced = await ok('release', 'register', 'bot')
  expect(await svc('pricing', 'check', unpriced)).toMatchObject({
    code: 1,
    stdout: `UNPRICED\t${unpriced}\tm8\t0 runs\tacme/v1\n`,
  })
  write('bot/release.yaml', releaseOf({}))
  writeEvents(workspace, 'm1.jsonl', 3, { release_id, model: 'm1' })
  await ok('runs', 'ingest', 'm1.jsonl')
  const event = JSON.parse(readFileSync(workspace.path('m1.jsonl'), 'utf8').split('\n')[0]!)
  const { model } = event.usage
  const others = [
    { ...event, run_id: 'other', usage: { model: { ...model, provider: 'reseller' } } },
    { ...event, run_id: 'broken', metrics: { success: false }, usage: { model, incomplete: true } },
  ]
  write('others.jsonl', others.map(other => JSON.stringify(other)).join('\n'))
  await ok('runs', 'ingest', 'others.jsonl')
  expect(await svc('pricing', 'check', release_id)).toMatchObject({
    code: 0,
    stdout: `OK\t${release_id}\tm1\t4 runs\tacme/v1\n`,
  })
  const old = await workspace.ok('release', 'register', 'bot')
  writeEvents(workspace, 'm9.jsonl', 2, { release_id: old, model: 'm9' })
  await ok('runs', 'ingest', 'm9.jsonl')
  expect(await svc('pricing', 'check', release_id, old)).toEqual({
    code: 1,
    stdout: `OK\t${release_id}\tm1\t4 runs\tacme/v1\nUNPRICED\t${old}\tm9\t2 runs\tacme/v1\nOK\t${old}\tm1\t0 runs\tacme/v1\n`,
    stderr: '',
  })
  expect(await svc('pricing', 'check', 'rel_unknown')).toMatchObject({ code: 1 })
})
