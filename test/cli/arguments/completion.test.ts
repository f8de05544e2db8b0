import { execFileSync, spawnSync } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { makeWorkspace } from '../../support/processes/cli.ts'
import { ROOT_PATH } from '../../../src/runtime/root.ts'

const workspace = makeWorkspace()

/** Asks a real bash what it would offer behind a line; the word under the cursor is the last one. */
async function offered(line: string): Promise<string[]> {
  const script = await workspace.ok('completion', 'bash')
  const words = line.split(' ')
  const ask = `${script}
    COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
    _svc; printf '%s\\n' "\${COMPREPLY[@]}"`
  const shown = execFileSync('bash', ['-uo', 'pipefail', '-c', ask], {
    encoding: 'utf8',
    cwd: workspace.folder,
  })
  return shown.split('\n').filter(word => word !== '')
}

describe('bash', () => {
  test.each([
    ['svc r', ['release', 'runs', 'rollups']],
    ['svc release promote-', ['promote-request', 'promote-confirm', 'promote-cancel']],
    ['svc runs ', ['list', 'export', 'ingest']],
    ['svc serve --lo', ['--log']],
    ['svc serve --log ', ['text', 'json', 'off']],
    ['svc release diff a b --output j', ['json']],
    ['svc release requests --status p', ['pending']],
    ['svc release promoted --a', ['--agent']],
    ['svc release diff a b --fail', ['--fail-on-policy']],
    ['svc init --no', ['--no-bundled-pricing']],
    ['svc completion ', ['bash', 'zsh', 'fish']],
    // File names, which bash itself fills in.
    ['svc policy set pol', []],
    ['svc release verify a --path ', []],
    ['svc nonsense --x', []],
  ])('%s', async (line, words) => {
    expect(await offered(line)).toEqual(words)
  })

  test('offers every command, and each option of it that its help shows', async () => {
    for (const { name, options = [] } of COMMANDS) {
      const words = name.split(' ')
      expect(await offered(['svc', ...words.slice(0, -1), words.at(-1)!].join(' '))).toContain(words.at(-1))
      const flags = options.flatMap(option => option.flags.match(/--[\w-]+/g) ?? [])
      expect(await offered(`svc ${name} -`)).toEqual(expect.arrayContaining([...flags, '--help']))
    }
  })

  test('is registered for svc, with file names where nothing else fits', async () => {
    const script = await workspace.ok('completion', 'bash')
    const shown = execFileSync('bash', ['-c', `${script}\ncomplete -p svc`], { encoding: 'utf8' })
    expect(shown.trim()).toBe('complete -o default -F _svc svc')
  })
})

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

test.skipIf(!has('fish'))('fish offers commands, options and values', async () => {
  const script = workspace.write('svc.fish', await workspace.ok('completion', 'fish'))
  const ask = (line: string): string[] =>
    execFileSync('fish', ['-c', `source ${script}; complete -C '${line}'`], {
      encoding: 'utf8',
      cwd: workspace.folder,
      env: {
        ...process.env,
        PATH: `${dirname(join(ROOT_PATH, 'bin/svc.cjs'))}${delimiter}${process.env.PATH}`,
      },
    })
      .split('\n')
      .filter(text => text !== '')
      .map(text => text.split('\t')[0]!)
  expect(ask('svc r').sort()).toEqual(['release', 'rollups', 'runs'])
  expect(ask('svc release ro')).toEqual(['rollback'])
  expect(ask('svc release diff --f')).toEqual(['--fail-on-policy'])
  expect(ask('svc release diff --output ').sort()).toEqual(['json', 'text'])
})

test.skipIf(!has('zsh'))('zsh can read its script, and describes what it offers', async () => {
  const script = workspace.write('_svc', await workspace.ok('completion', 'zsh'))
  const ask = (...words: string[]): string => {
    const program = `compdef() { :; }; _files() { print FILES; }; compadd() { print -l -- "\${@:2}"; }
      _describe() { print -l -- "\${(@P)2}"; }
      source ${script}; words=(${words.map(word => `'${word}'`).join(' ')}); CURRENT=${words.length}; _svc`
    return execFileSync('zsh', ['-f', '-c', program], { encoding: 'utf8', cwd: workspace.folder })
  }
  expect(ask('svc', '')).toContain('doctor:Migrate the ledger and check it\n')
  expect(ask('svc', 'release', '')).toContain('rollback:Roll back to a release')
  expect(ask('svc', 'release', 'diff', 'a', '-')).toContain('--fail-on-policy:Exit 1')
  expect(ask('svc', 'release', 'diff', 'a', '--output', '')).toBe('text\njson\n')
  expect(ask('svc', 'policy', 'set', 'x')).toBe('FILES\n')
})

test('another shell is refused', async () => {
  const { code, stderr } = await workspace.svc('completion', 'ksh')
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "svc: The shell must be bash, zsh, fish (it is 'ksh').\n",
  })
})
