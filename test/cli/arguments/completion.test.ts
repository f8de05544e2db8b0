import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, readdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { complete } from '../../../src/cli/arguments/completion.ts'
import { COMMANDS } from '../../../src/entry/commands/index.ts'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { releaseOf } from '../../support/services/builders.ts'
import { makeWorkspace, startService } from '../../support/processes/cli.ts'

const empty = makeWorkspace()

/** What is offered for the last word of a line, and what it is. */
async function completed(
  line: string,
  { svcWith } = empty,
  env: Record<string, string> = {},
): Promise<string[]> {
  const { code, stdout, stderr } = await svcWith({ env }, '__complete', ...line.split(' '))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.split('\n').slice(0, -1)
}

async function offered(...args: Parameters<typeof completed>): Promise<string[]> {
  return (await completed(...args)).map(text => text.split('\t')[0]!)
}

describe.concurrent('without a workspace', () => {
  test.each([
    ['r', ['release', 'runs', 'rollups']],
    ['release promote-', ['promote-request', 'promote-confirm', 'promote-reject']],
    ['runs ', ['list', 'export', 'ingest', 'find', 'prune', 'erase']],
    ['serve --lo', ['--log']],
    ['serve --log ', ['text', 'json', 'off']],
    ['release diff a b --output j', ['json']],
    ['release diff a b --output=', ['--output=text', '--output=json', '--output=markdown']],
    // As bash has it.
    ['release diff a b --output =', ['text', 'json', 'markdown']],
    ['release diff a b --output = j', ['json']],
    ['release requests --status p', ['pending']],
    ['webhook add --event promo', ['promote.succeeded', 'promote.blocked', 'promotion.requested']],
    ['release promoted --a', ['--agent']],
    ['release diff a b --fail', ['--fail-on-policy']],
    ['init --no', ['--no-bundled-pricing']],
    ['completion ', ['bash', 'zsh', 'fish']],
    // File names, which the shell fills in, and what nobody can know.
    ['policy set pol', []],
    ['release verify a --path ', []],
    ['release promote a --reason ', []],
    ['release show -- -', []],
    ['release show ', []],
    ['release register x --env ', []],
    ['nonsense --x', []],
    ['nonsense ', []],
  ])('svc %s', async (line, words) => {
    expect(await offered(line)).toEqual(words)
    expect(readdirSync(empty.folder)).toEqual([])
  })

  test('every command is offered, and each option of it that its help shows', async () => {
    const nothingElse = {
      open: () => Promise.reject(new Error('no service is asked')),
      profiles: async () => [],
    }
    const offers = async (line: string): Promise<string[]> => {
      const lines = (await complete(line.split(' '), COMMANDS, nothingElse)).split('\n')
      return lines.map(text => text.split('\t')[0]!)
    }
    for (const { name, options = [] } of COMMANDS) {
      expect(await offers(name)).toContain(name.split(' ').at(-1))
      const flags = options.flatMap(option => option.flags.match(/--[\w-]+/g) ?? [])
      expect(await offers(`${name} -`)).toEqual(expect.arrayContaining([...flags, '--help']))
    }
  })

  test('each word has what it is behind a tab', async () => {
    expect(await completed('release rollb')).toEqual([
      'rollback\tRoll back to a release if the policy passes; exit 1 if it blocks',
    ])
    expect(await completed('release diff a b --fail')).toEqual([
      '--fail-on-policy\tExit 1 if the policy fails, after printing',
    ])
  })
})

describe.concurrent('what a ledger holds', () => {
  test('is offered where it fits, but for names that a shell would not take as they are', async () => {
    const workspace = makeWorkspace({})
    const { ok, write } = workspace
    write('a.yaml', releaseOf({ agent: 'bot', version: '2' }))
    write('b.yaml', releaseOf({ agent: 'cat;rm', version: '3' }))
    const [a, b] = [
      await ok('release', 'register', 'a.yaml', '--env', 'prod'),
      await ok('release', 'register', 'b.yaml', '--env', '$(x)'),
    ]
    const webhook = await ok('webhook', 'add', '--url', 'http://127.0.0.1:9', '--event', 'promote.blocked')
    expect(await completed('release show ', workspace)).toEqual([
      `${b}\tcat;rm 3 in $(x)`,
      `${a}\tbot 2 in prod`,
    ])
    expect(await offered(`release diff ${a} ${b.slice(0, 9)}`, workspace)).toEqual([b])
    expect(await offered(`release diff ${a} ${b} `, workspace)).toEqual([])
    expect(await offered('release promote x --env ', workspace)).toEqual(['prod'])
    expect(await offered('release history --agent ', workspace)).toEqual(['bot'])
    expect(await offered('webhook remove --yes ', workspace)).toEqual([webhook.split('\n')[0]])
    expect(await offered('release promote-confirm ', workspace)).toEqual([])
  })

  test('of a service is offered where --url or SERVICE_URL names it, and nothing where it wants a token', async () => {
    const workspace = makeWorkspace({})
    workspace.write('a.yaml', releaseOf())
    const id = await workspace.ok('release', 'register', 'a.yaml')
    const TOKEN = { SERVICE_LOCAL_API_TOKEN: 's3cret' }
    const service = await startService(workspace, { env: TOKEN })
    expect(await offered(`release show --url ${service.url} `, empty, TOKEN)).toEqual([id])
    expect(await offered('release show ', empty, { ...TOKEN, SERVICE_URL: service.url })).toEqual([id])
    expect(await offered(`release show --url ${service.url} `)).toEqual([])
    await service.stop()
  })

  test('of a service is offered where a profile names it, and so are the profiles', async () => {
    const workspace = makeWorkspace({})
    workspace.write('a.yaml', releaseOf())
    const id = await workspace.ok('release', 'register', 'a.yaml')
    const service = await startService(workspace)
    const env = { XDG_CONFIG_HOME: workspace.path('config') }
    for (const name of ['staging', 'prod']) {
      await workspace.svcWith({ env }, 'profile', 'set', name, '--url', service.url)
    }
    expect(await offered('release show --profile ', empty, env)).toEqual(['prod', 'staging'])
    expect(await offered('profile remove s', empty, env)).toEqual(['staging'])
    expect(await offered('profile set ', empty, env)).toEqual([])
    expect(await offered('release show --profile prod ', empty, env)).toEqual([id])
    await service.stop()
  })

  test('is not looked for in one that is not there yet: none is made', async () => {
    const workspace = makeWorkspace({})
    expect(await offered('release show ', workspace)).toEqual([])
    expect(readdirSync(workspace.folder)).toEqual(['service.yaml'])
  })
})

/** A folder with a program `svc`, for shells to find. */
function pathWithSvc(): string {
  const program = join(ROOT_PATH, 'bin/svc.cjs')
  chmodSync(
    empty.path(empty.write('bin/svc', `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)),
    0o755,
  )
  return [empty.path('bin'), dirname(process.execPath), process.env.PATH].join(delimiter)
}

function ask(shell: string, args: readonly string[]): string[] {
  const shown = execFileSync(shell, args, {
    encoding: 'utf8',
    cwd: empty.path('bin'),
    env: { ...process.env, PATH: pathWithSvc() },
  })
  return shown.split('\n').filter(text => text !== '')
}

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

test('bash fills in what is offered, and file names elsewhere', async () => {
  const script = await empty.ok('completion', 'bash')
  const inBash = (line: string): string[] => {
    const words = line.split(' ')
    const program = `${script}
      COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
      _svc svc; printf '%s\\n' "\${COMPREPLY[@]}"`
    return ask('bash', ['-uo', 'pipefail', '-c', program])
  }
  expect(inBash('svc r')).toEqual(['release', 'runs', 'rollups'])
  expect(inBash('svc release diff a b --output ')).toEqual(['text', 'json', 'markdown'])
  expect(inBash('svc policy set pol')).toEqual([])
  expect(ask('bash', ['-c', `${script}\ncomplete -p svc`])).toEqual(['complete -o default -F _svc svc'])
})

test.skipIf(!has('fish'))('fish offers commands, options and values, and file names elsewhere', async () => {
  const script = empty.path(empty.write('svc.fish', await empty.ok('completion', 'fish')))
  const inFish = (line: string): string[] =>
    ask('fish', ['--no-config', '-c', `source ${script}; complete -C '${line}'`])
  expect(inFish('svc release ro')).toEqual([
    'rollback\tRoll back to a release if the policy passes; exit 1 if it blocks',
  ])
  expect(inFish('svc release diff --output ').sort()).toEqual(['json', 'text'])
  expect(inFish('svc policy set s')).toEqual(['svc'])
})

test.skipIf(!has('zsh'))('zsh describes what it offers, and offers file names elsewhere', async () => {
  const script = empty.path(empty.write('_svc', await empty.ok('completion', 'zsh')))
  const inZsh = (...words: string[]): string[] => {
    const program = `compdef() { :; }; _files() { print FILES; }; _describe() { print -l -- "\${(@P)2}"; }
      source ${script}; words=(${words.map(word => `'${word}'`).join(' ')}); CURRENT=${words.length}; _svc`
    return ask('zsh', ['-f', '-c', program])
  }
  expect(inZsh('svc', 'do')).toEqual(['doctor:Migrate the ledger and check it'])
  expect(inZsh('svc', 'release', 'diff', 'a', '--output', '')).toEqual(['text', 'json'])
  expect(inZsh('svc', 'policy', 'set', 'x')).toEqual(['FILES'])
})

test('another shell is refused', async () => {
  const { code, stderr } = await empty.svc('completion', 'ksh')
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "svc: The shell must be bash, zsh or fish (it is 'ksh').\n",
  })
})
