import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { copyOf, makeWorkspace, spawnSvc, twoReleases } from '../../support/processes/cli.ts'
import { ROOT } from '../../../src/runtime/root.ts'

const PROGRAM = fileURLToPath(new URL('bin/svc.cjs', ROOT))
const made = await twoReleases()
const ARGS = ['--env', 'local', '--window', '1h'] as const

describe.concurrent('output', () => {
  test('has no escape codes where nobody looks, but for FORCE_COLOR', async () => {
    const { processWith } = copyOf(made.workspace)
    for (const env of [{}, { NO_COLOR: '1' }, { FORCE_COLOR: '0' }]) {
      const diff = await processWith(
        { env },
        'release',
        'diff',
        made.baseline,
        made.candidate,
        '--window',
        '1h',
      )
      const error = await processWith({ env }, 'release', 'lst')
      expect(diff.code).toBe(0)
      expect(diff.stdout + diff.stderr + error.stderr).not.toContain('\u001B')
    }
    const forced = await processWith(
      { env: { FORCE_COLOR: '1' } },
      'release',
      'diff',
      made.baseline,
      made.candidate,
      '--window',
      '1h',
    )
    expect(forced.stdout).toContain('\u001B[32mPASS')
  })

  test('a reader that closes the pipe is no error, and does not hide a blocked promotion', async () => {
    const workspace = copyOf(made.workspace)
    await workspace.ok('release', 'promote', made.baseline, ...ARGS, '--reason', 'r')
    workspace.write('policy.yaml', { max_latency_ms: 1 })
    await workspace.ok('policy', 'set', 'policy.yaml')
    const expected = [
      [['release', 'promote', made.candidate, ...ARGS, '--reason', 'r'], 1],
      [['release', 'list'], 0],
    ] as const
    for (const [args, code] of expected) {
      const child = spawnSvc(args, { cwd: workspace.folder })
      child.stdout.destroy()
      let stderr = ''
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
      expect(await once(child, 'close')).toEqual([code, null])
      expect(stderr).toBe('')
    }
  })
})

describe.runIf(process.platform === 'linux')('a full disk', () => {
  test('under stdout or an export is one line and exit 1', async () => {
    const { folder, svc, path } = copyOf(made.workspace)
    const stdout = openSync('/dev/full', 'w')
    const listed = spawnSync(process.execPath, [PROGRAM, 'release', 'list'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', stdout, 'pipe'],
    })
    expect(listed.stderr).toBe("svc: stdout can't be written: the disk is full.\n")
    expect(listed.status).toBe(1)
    const exported = await svc('runs', 'export', made.baseline, '--window', '1h', '-o', '/dev/full')
    expect(exported).toEqual({
      code: 1,
      stdout: '',
      stderr: "svc: /dev/full can't be written: the disk is full.\n",
    })
    expect(readdirSync(path('.')).filter(name => name.includes('.part'))).toEqual([])
  })

  // A small file system of one's own takes a user namespace, which not every machine grants.
  const unshared = (script: string): string[] => ['-c', 'exec unshare -rm sh -c "$1"', 'sh', script]
  const canMount = spawnSync('sh', unshared('mount -t tmpfs none /mnt')).status === 0
  test.runIf(canMount)('under the ledger loses nothing, and work goes on when there is room again', () => {
    const { folder, write } = makeWorkspace()
    write('disk/x', '')
    write('policy.yaml', { policy_id: 'kept' })
    const script = `
      set -u
      mount -t tmpfs -o size=2400k none disk && cd disk && : > service.yaml
      svc() { "$NODE" "$PROGRAM" "$@" 2>&1; echo "exit $?"; }
      svc policy set ../policy.yaml
      dd if=/dev/zero of=fill bs=1k 2>/dev/null
      svc policy set ../policy.yaml
      svc doctor --backup copy.db
      ls
      rm fill
      svc policy set ../policy.yaml
      svc doctor --deep`
    const printed = execFileSync('sh', unshared(script), {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, USER: 'tester', NODE: process.execPath, PROGRAM },
    })
      .split('\n')
      .filter(line => !line.startsWith('svc: it sets no limit'))
    const full = /^svc: the ledger \S+ (?:can't grow: the disk is full|can't be read or written: .*)$/
    expect(printed.slice(0, 8)).toEqual([
      'policy kept is in force',
      'exit 0',
      expect.stringMatching(full),
      'exit 1',
      expect.stringMatching(/^svc: .*$/),
      'exit 1',
      'fill',
      'service.yaml',
    ])
    expect(printed.slice(8, 10)).toEqual(['policy kept is in force', 'exit 0'])
    expect(printed.at(-2)).toBe('exit 0')
  })
})
