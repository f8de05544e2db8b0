import { chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT_PATH } from '../../../../src/runtime/root.ts'
import { atTerminal, copyOf, twoReleases } from '../../../support/processes/cli.ts'

const made = await twoReleases(undefined, 0)
const HOOK = 'https://hooks.example.com/releases'

const FILES = {
  'gov/policy.yaml': { policy_id: 'team', max_latency_ms: 900 },
  'gov/prices/acme.yaml': {
    provider: 'acme',
    pricing_version: '2027',
    entries: [{ model: 'm9', input_usd_per_1k_tokens: 0.001, output_usd_per_1k_tokens: 0.002 }],
  },
  'gov/webhooks.yaml': [{ url: HOOK, events: ['promote.succeeded', 'promote.blocked'], description: 'chat' }],
  'gov/tokens.yaml': [{ name: 'ci', role: 'write', agents: ['bot'] }],
}

/** In front of the reason; with a file for the secrets, since there is no terminal. */
const APPLY = ['apply', 'gov', '--secrets', 'secrets.jsonl', '--reason'] as const

function workspaceWith(files: Readonly<Record<string, object | string>> = FILES) {
  const workspace = copyOf(made.workspace)
  for (const [path, content] of Object.entries(files)) workspace.write(path, content)
  return workspace
}

interface Applied {
  readonly applied: boolean
  readonly changes: readonly {
    kind: string
    does: string
    name: string
    details: string[]
  }[]
}

describe.concurrent('svc apply', () => {
  test('plans without writing, applies each change once, and then has nothing to do', async () => {
    const { svc, ok } = workspaceWith()
    const plan = await svc('apply', 'gov', '--plan', '--detailed-exitcode')
    expect(plan).toMatchObject({ code: 3, stderr: '' })
    expect(plan.stdout).toContain('+ price table acme/2027\n    1 model\n')
    expect(plan.stdout).toContain('~ policy team\n')
    expect(plan.stdout).toContain('    max_latency_ms: null → 900\n')
    expect(plan.stdout).toContain(`+ webhook ${HOOK}\n    promote.succeeded, promote.blocked\n`)
    expect(plan.stdout).toContain('+ token ci\n    write; agents bot\n')
    expect(plan.stdout).toContain('servers of this ledger answer only callers with a token')
    expect(JSON.parse(await ok('webhook', 'list', '--output', 'json'))).toEqual({ webhooks: [] })

    const applied = JSON.parse(await ok(...APPLY, 'set up', '--output', 'json')) as Applied
    expect(applied.applied).toBe(true)
    expect(applied.changes.map(({ does, kind }) => [does, kind])).toEqual([
      ['add', 'price table'],
      ['change', 'policy'],
      ['add', 'webhook'],
      ['add', 'token'],
    ])
    expect(await svc('apply', 'gov', '--plan', '--detailed-exitcode')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/: no changes\n$/) as string,
    })
    const log = await ok('audit', 'log')
    for (const kind of ['policy.set', 'prices.import', 'webhook.', 'token.']) expect(log).toContain(kind)
    expect(log).toContain('set up')
  })

  test('says what a new policy would have decided otherwise', async () => {
    const { ok, svc } = workspaceWith({
      'gov/policy.yaml': { policy_id: 'open', require_high_diff_confidence: false },
    })
    const why = ['--env', 'prod', '--window', '1h', '--reason', 'why']
    await ok('release', 'promote', made.baseline, ...why)
    expect((await svc('release', 'promote', made.candidate, ...why)).code).toBe(1)
    const plan = await ok('apply', 'gov', '--plan')
    expect(plan).toContain('would have decided 1 of the last 2 decisions differently')
    expect(plan).toContain(`(promote ${made.candidate}): blocked → passed`)
  })

  test('applies what its documentation shows', async () => {
    const page = readFileSync(join(ROOT_PATH, 'docs/policy.md'), 'utf8')
    const files = Array.from(
      page.matchAll(/^```yaml\n# (\S+)\n(.*?)^```$/gms),
      ([, name, text]) => [`gov/${name!}`, text!] as const,
    )
    expect(files.map(([path]) => path)).toEqual(['gov/webhooks.yaml', 'gov/tokens.yaml'])
    const { ok } = workspaceWith(Object.fromEntries(files))
    expect(await ok(...APPLY, 'as written')).toContain('2 changes made')
  })

  test('writes new secrets to a file of mode 600, after those of an earlier attempt', async () => {
    const { ok, svc, write, read, path } = workspaceWith()
    await ok(...APPLY, 'set up')
    expect(statSync(path('secrets.jsonl')).mode & 0o777).toBe(0o600)
    write('gov/tokens.yaml', [...FILES['gov/tokens.yaml'], { name: 'second', role: 'read' }])
    const { stdout, stderr, code } = await svc(...APPLY, 'one more')
    expect(code).toBe(0)
    const lines = read('secrets.jsonl').trimEnd().split('\n')
    const kept = lines.map(line => JSON.parse(line) as Record<'kind' | 'name' | 'secret', string>)
    expect(kept.map(({ kind, name }) => [kind, name])).toEqual([
      ['webhook', HOOK],
      ['token', 'ci'],
      ['token', 'second'],
    ])
    for (const { secret } of kept) expect(stdout + stderr).not.toContain(secret)
    expect(kept[2]!.secret).toMatch(/^rgs_/)
  })

  test('shows new secrets at a terminal, and elsewhere refuses before it changes anything', async () => {
    const { ok, svc, folder, path, write } = workspaceWith()
    for (const more of [[], ['--output', 'json']]) {
      const refused = await svc('apply', 'gov', '--reason', 'set up', ...more)
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(refused.stderr).toContain(
        `Nothing was changed: new secrets (webhook ${HOOK}, token ci) are printed only in a terminal`,
      )
      expect(refused.stderr).toContain('Add --secrets FILE')
    }
    write('open.jsonl', '')
    chmodSync(path('open.jsonl'), 0o644)
    const refused = await svc('apply', 'gov', '--reason', 'set up', '--secrets', 'open.jsonl')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('others can read open.jsonl. Run `chmod 600 open.jsonl`')
    expect((await svc('apply', 'gov', '--reason', 'set up', '--secrets', 'no/such')).stderr).toContain(
      "no/such can't be written",
    )
    expect(JSON.parse(await ok('webhook', 'list', '--output', 'json'))).toEqual({ webhooks: [] })
    expect(await atTerminal(80, folder, 'apply', 'gov', '--reason', 'set up')).toMatch(
      /^secret of token ci, shown this once: rgs_/m,
    )
    write('gov/tokens.yaml', [...FILES['gov/tokens.yaml'], { name: 'second', role: 'read' }])
    const json = await atTerminal(80, folder, 'apply', 'gov', '--reason', 'one more', '--output', 'json')
    expect(JSON.parse(json)).toMatchObject({
      changes: [{ name: 'second', secret: expect.stringMatching(/^rgs_/) as string }],
    })
    // Nothing new has a secret: no file is needed.
    write('gov/policy.yaml', { policy_id: 'other' })
    await ok('apply', 'gov', '--reason', 'why')
  })

  test('warns of agents and environments that do not exist', async () => {
    const { ok } = workspaceWith({
      'gov/tokens.yaml': [
        { name: 'slip', role: 'write', agents: ['bott', 'bot'], environments: ['locl'] },
        { name: 'right', role: 'write', agents: ['bot'] },
      ],
    })
    const plan = await ok('apply', 'gov', '--plan')
    expect(plan.match(/warning: .*/g)).toEqual([
      'warning: there is no agent bott yet; did you mean bot?',
      'warning: there is no environment locl yet; did you mean local?',
    ])
  })

  test('removes only with --prune, and never policies or prices', async () => {
    const workspace = workspaceWith()
    await workspace.ok(...APPLY, 'set up')
    await workspace.ok('token', 'create', 'ops', '--role', 'read')
    workspace.write('gov/webhooks.yaml', [])
    workspace.write('gov/tokens.yaml', [])
    const opening = await workspace.svc('apply', 'gov', '--prune', '--reason', 'tidy')
    expect(opening).toMatchObject({ code: 1, stdout: '' })
    expect(opening.stderr).toContain('--prune would revoke the last named token')
    workspace.write('gov/tokens.yaml', [{ name: 'ops', role: 'read' }])
    expect(await workspace.ok('apply', 'gov', '--plan')).toContain(': no changes')
    const applied = await workspace.ok('apply', 'gov', '--prune', '--reason', 'tidy')
    expect(applied).toContain(`- webhook ${HOOK}`)
    expect(applied).toContain('- token ci')
    expect(await workspace.ok('policy', 'show')).toContain('"max_latency_ms": 900')
    expect(await workspace.ok('pricing', 'show', '--provider', 'acme', '--version', '2027')).toContain('m9')
  })

  test('changes what differs: rates of a table, events of a webhook', async () => {
    const workspace = workspaceWith()
    await workspace.ok(...APPLY, 'set up')
    const prices = structuredClone(FILES['gov/prices/acme.yaml'])
    prices.entries[0]!.input_usd_per_1k_tokens = 0.003
    workspace.write('gov/prices/acme.yaml', prices)
    workspace.write('gov/webhooks.yaml', [{ url: HOOK, events: ['promote.succeeded'], enabled: false }])
    const applied = await workspace.ok('apply', 'gov', '--reason', 'new list')
    expect(applied).toContain('~ price table acme/2027\n    m9.input_usd_per_1k_tokens: 0.001 → 0.003\n')
    expect(applied).toContain(
      '    events: promote.succeeded, promote.blocked → promote.succeeded\n    description: chat → none\n    disabled\n',
    )
    expect(await workspace.ok('apply', 'gov', '--plan')).toContain(': no changes')
  })

  test.each<[string, Record<string, object | string>, string]>([
    [
      'a misspelt file',
      { 'gov/polcy.yaml': {} },
      "gov/polcy.yaml can't be applied: a folder has policy.yaml, webhooks.yaml, tokens.yaml and prices/*.yaml. Did you mean policy.yaml?",
    ],
    ['an empty folder', { 'gov/README.md': 'x' }, 'gov has no file to apply'],
    [
      'a misspelt field',
      { 'gov/webhooks.yaml': [{ url: HOOK, event: ['x'] }] },
      'gov/webhooks.yaml, entry 1: event is not a known field (did you mean events?).',
    ],
    [
      'an unknown event',
      { 'gov/webhooks.yaml': [{ url: HOOK, events: ['promoted'] }] },
      'gov/webhooks.yaml, entry 1: events must be one of ',
    ],
    [
      'an end that no token can have',
      { 'gov/tokens.yaml': [{ name: 'ci', role: 'read', expires: '1w' }] },
      'gov/tokens.yaml, entry 1: expires must be a number and d, h or m, such as 90d.',
    ],
    [
      'a name that no token can have',
      { 'gov/tokens.yaml': [{ name: 'ci deploy', role: 'read' }] },
      'gov/tokens.yaml, entry 1: name must be a name of letters, digits, _, ., @ and -, at most 64 long',
    ],
    [
      'a name that is on record for others',
      { 'gov/tokens.yaml': [{ name: 'Watch', role: 'read' }] },
      "gov/tokens.yaml, entry 1: Watch can't name a token: watch is on record for others",
    ],
    [
      'a limit that stands for none',
      { 'gov/tokens.yaml': [{ name: 'ci', role: 'read', agents: ['*'] }] },
      'gov/tokens.yaml, entry 1: agents are limited by whole names',
    ],
    [
      'a limit with a blank behind it',
      { 'gov/tokens.yaml': [{ name: 'ci', role: 'read', agents: ['bot', 'bot '] }] },
      'gov/tokens.yaml, entry 1: agents[1] must be without invisible characters',
    ],
    [
      'two names that look alike',
      {
        'gov/tokens.yaml': [
          { name: 'ci', role: 'read' },
          { name: 'CI', role: 'read' },
        ],
      },
      'tokens.yaml: There is a token CI, which looks like ci',
    ],
    [
      'a webhook over FTP',
      { 'gov/webhooks.yaml': [{ url: 'ftp://x', events: ['promote.succeeded'] }] },
      'gov/webhooks.yaml, entry 1: url must be an http or https URL.',
    ],
    [
      'a webhook to a private address where that is refused',
      {
        'service.yaml': { webhooks: { deny_private: true } },
        'gov/webhooks.yaml': [{ url: 'http://10.0.0.5/', events: ['promote.succeeded'] }],
      },
      'webhooks.yaml: url http://10.0.0.5/ must not lead to 10.0.0.5, a private or reserved address',
    ],
    ['no role', { 'gov/tokens.yaml': [{ name: 'ci' }] }, 'gov/tokens.yaml, entry 1: role is required.'],
    [
      'a name twice',
      {
        'gov/tokens.yaml': [
          { name: 'ci', role: 'read' },
          { name: 'ci', role: 'write' },
        ],
      },
      'gov/tokens.yaml names ci twice.',
    ],
    [
      'no list',
      { 'gov/tokens.yaml': { name: 'ci' } },
      'gov/tokens.yaml must be a list; each entry begins with "- name:".',
    ],
    ['a spoilt policy', { 'gov/policy.yaml': { max_latency: 3 } }, 'max_latency is not a known field'],
  ])('refuses %s before it changes anything', async (_, files, message) => {
    const { svc } = workspaceWith(files)
    const { code, stderr, stdout } = await svc('apply', 'gov', '--reason', 'why')
    expect((await svc('apply', 'gov', '--plan')).code).toBe(1)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(message)
  })

  test('refuses another role of a token that is there, and asks for a reason', async () => {
    const workspace = workspaceWith()
    await workspace.ok(...APPLY, 'set up')
    workspace.write('gov/tokens.yaml', [{ name: 'ci', role: 'read' }])
    workspace.write('gov/policy.yaml', { policy_id: 'other' })
    const refused = await workspace.svc('apply', 'gov', '--reason', 'why')
    expect(refused.stderr).toContain(
      "a token can't be changed: end it with `svc token revoke ci` and apply again",
    )
    expect(await workspace.ok('policy', 'show')).toContain('"policy_id": "team"')
    expect((await workspace.svc('apply', 'gov')).stderr).toContain('--reason is required, or --plan')
  })
})
