import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { TASKS } from '../../../src/cli/arguments/command.ts'
import { parseArguments } from '../../../src/cli/arguments/parse.ts'
import { COMMANDS } from '../../../tools/commands.ts'
import { painter } from '../../../src/cli/terminal/io.ts'
import { makeWorkspace } from '../../support/processes/cli.ts'
import { ROOT } from '../../../src/runtime/root.ts'

const { svc } = makeWorkspace()

/** The commands and options of the specification's table. */
const SPECIFIED: Readonly<Record<string, readonly string[]>> = {
  init: ['--path', '--no-bundled-pricing'],
  demo: ['--quickstart-root', '--no-verify', '--no-doctor', '--keep-workspace'],
  doctor: ['--backup'],
  serve: ['--host', '--port', '--reload', '--sqlite-lock-timeout', '--no-retry-sqlite-lock'],
  'release register': ['<PATH>', '--env'],
  'release list': [],
  'release show': ['<RELEASE_ID>'],
  'release verify': ['<RELEASE_ID>', '--path'],
  'release diff': [
    '<BASELINE_ID> <CANDIDATE_ID>',
    '--window',
    '--env',
    '--tenant',
    '--task',
    '--fail-on-policy',
    '--output',
  ],
  'release promote': ['<RELEASE_ID>', '--env', '--window', '--reason'],
  'release rollback': ['<RELEASE_ID>', '--env', '--window', '--reason'],
  'release promote-request': ['<RELEASE_ID>', '--env', '--window', '--reason'],
  'release promote-confirm': ['<REQUEST_ID>', '--approval-reason'],
  'release history': ['--agent', '--env'],
  'pricing import': ['<PATH>', '--replace', '--reason'],
  'pricing show': ['--provider', '--version'],
  'pricing check': ['--max-age-days', '--fail'],
  'policy set': ['<PATH>'],
  'policy show': [],
  'runs list': [
    '<RELEASE_ID>',
    '--window',
    '--env',
    '--tenant',
    '--task',
    '--trace-id',
    '--session-id',
    '--span-id',
    '--offset',
    '--limit',
    '--output',
  ],
  'runs export': [
    '<RELEASE_ID>',
    '--window',
    '--env',
    '--tenant',
    '--task',
    '--trace-id',
    '--session-id',
    '--span-id',
    '--offset',
    '--limit',
    '-o',
  ],
  'runs ingest': ['<PATH>'],
  'webhook add': ['--url', '--event', '--description'],
  'webhook list': [],
  'webhook remove': ['<WEBHOOK_ID>', '--yes'],
  'webhook test': ['<WEBHOOK_ID>'],
}

test.concurrent.each(Object.keys(SPECIFIED))('svc %s --help shows its options and an example', async name => {
  const { code, stdout, stderr } = await svc(...name.split(' '), '--help')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(`Usage: svc ${name}`)
  expect(stdout).toMatch(new RegExp(`^Example:\n  .*svc ${name}`, 'm'))
  for (const option of SPECIFIED[name]!) expect(stdout).toContain(option)
})

test.concurrent('the help lists by task what most people need, and help all every command', async () => {
  const listed = COMMANDS.filter(({ task }) => task !== undefined)
  expect(new Set(listed.map(({ task }) => task))).toEqual(new Set(TASKS))
  for (const args of [[], ['--help'], ['-h'], ['help']]) {
    const { code, stdout } = await svc(...args)
    expect(code).toBe(0)
    expect(stdout.match(/^ {2}(?=\S)/gm)).toHaveLength(listed.length)
    for (const { name } of listed) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
  }
  const all = await svc('help', 'all')
  expect(all.code).toBe(0)
  for (const { name } of COMMANDS) expect(all.stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
})

test.each([50, 60, 80])('all help fits a terminal of %i columns, but for what is typed', room => {
  for (const argv of [
    ['--help'],
    ['help', 'all'],
    ['release'],
    ...COMMANDS.map(({ name }) => ['help', ...name.split(' ')]),
  ]) {
    const parsed = parseArguments(argv, COMMANDS, room)
    const text = parsed.kind === 'help' ? parsed.text : ''
    // Usage, names and examples are there to be typed: no line of theirs is broken.
    const [before] = text.split('\nExample:')
    const broken = before!
      .split('\n')
      .filter(line => line.length > room && !/^(Usage:|  (-|\S+( \S+)*$))/.test(line))
    expect(broken).toEqual([])
  }
})

test.concurrent('a group alone lists its commands only', async () => {
  const { code, stdout } = await svc('release')
  expect(code).toBe(0)
  expect(stdout).toContain('  release diff ')
  expect(stdout).not.toContain('  runs list ')
})

test.concurrent('help with a command is its --help', async () => {
  for (const name of ['release diff', 'serve', 'webhook']) {
    const help = await svc('help', ...name.split(' '))
    expect(help).toEqual(await svc(...name.split(' '), '--help'))
    expect(help.code).toBe(0)
  }
  expect((await svc('help', 'relase', 'list')).stderr).toContain('Did you mean release list')
})

test.concurrent('--version and version print the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
    version: string
  }
  for (const args of [['--version'], ['-v'], ['version']]) {
    expect(await makeWorkspace().process(...args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  }
})

test.concurrent.each([
  [['relase', 'list'], 'Unknown command: relase list. Did you mean release list'],
  [['release', 'promot'], 'Did you mean release promote'],
  [['list'], 'Unknown command: list. Did you mean release list or release rollout list or runs list?'],
  [['frobnicate'], 'Unknown command: frobnicate. `svc --help` lists the commands.'],
  [[''], "Unknown command: ''"],
  [
    ['freeze', 'prod'],
    'Unknown command: freeze prod. Freezes are set in service.yaml: `freeze: [{environment: prod, ',
  ],
  [['release', 'unfreeze'], 'Unknown command: release unfreeze. Freezes are set in service.yaml: '],
  [['release', '--env', 'prod', 'promote'], 'A command of `svc release` comes before options'],
  [['--frob'], 'A command comes before options such as --frob'],
  [['--verison'], 'Unknown option --verison. Did you mean --version?'],
  [['init', '--pth', 'x'], 'Unknown option --pth. Did you mean --path?'],
  [['demo', '--keep-workspce'], 'Unknown option --keep-workspce. Did you mean --keep-workspace?'],
  [['release', 'list', '--__proto__=1'], 'Unknown option --__proto__.'],
  [['release', 'list', '--output.x', 'json'], 'Unknown option --output.x. Did you mean --output?'],
  [['release', 'list', '-o', 'json'], 'Unknown option -o.'],
  [['release', 'show'], 'An argument is missing. Usage: svc release show <RELEASE_ID>'],
  [['release', 'show', ''], 'An argument is empty.'],
  [['release', 'show', 'a', 'b'], 'Too many arguments: b.'],
  [['release', 'list', '--output'], '--output needs a value.'],
  [['release', 'list', '--output', 'xml'], "--output must be text or json (it is 'xml')."],
  [['release', 'list', '--output', 'json', '--output', 'text'], '--output is given more than once.'],
  [['runs', 'export', 'x', '--window', '1h', '-o', 'a', '--out', 'b'], '--out is given more than once.'],
  [['init', '--no-bundled-pricing=1'], '--no-bundled-pricing takes no value.'],
  [['release', 'diff', 'a', 'b'], '--window is required. Usage: svc release diff'],
  [
    ['release', 'gate', 'a', '--env', 'e'],
    '[options]. For example: svc release gate rel_0123456789ab --env prod --window 24h --output markdown\n',
  ],
  [['policy', 'template'], '--for is required. It is ci, canary or low-traffic.'],
  [['release', 'verify', 'a'], '--path is required.'],
  [['release', 'promote', 'a', '--window', '1h', '--reason', 'r'], '--env is required.'],
  [['release', 'promote', 'a', '--env', 'e', '--reason', 'r'], '--window is required.'],
  [['release', 'rollback', 'a', '--env', 'e', '--window', '1h'], '--reason is required.'],
  [['release', 'promote', 'a', '--env', '', '--window', '1h', '--reason', 'r'], '--env is empty.'],
  [['release', 'promote', 'a', '--reason', '--env', 'prod'], 'Too many arguments: prod.'],
  [['release', 'promote-confirm', 'a'], '--approval-reason is required.'],
  [['pricing', 'show', '--provider', 'p'], '--version is required.'],
  [
    ['runs', 'list', 'a', '--window', '1h', '--limit', '1e2'],
    "--limit must be a whole number (it is '1e2').",
  ],
  [
    ['release', 'requests', '--status', 'open'],
    "--status must be pending, completed or cancelled (it is 'open').",
  ],
  [['release', 'requests', '--status', ''], '--status is empty.'],
  [
    ['webhook', 'add', '--url', 'http://x', '--event', 'promote.blocked', '--event', 'promote.failed'],
    "--event must be promote.succeeded, promote.blocked, promotion.requested, rollback.succeeded, rollback.forced, watch.regressed, watch.rollback_blocked, watch.passed, watch.inconclusive, capabilities.violated, rollout.started, rollout.advanced, rollout.paused, rollout.resumed, rollout.aborted, rollout.completed, rollout.expired or test.ping (it is 'promote.failed').",
  ],
  [['serve', '--log', 'xml'], "--log must be text, json or off (it is 'xml')."],
  [
    ['serve', '--sqlite-lock-timeout', '1,5'],
    "--sqlite-lock-timeout must be a number such as 30 or 1.5 (it is '1,5').",
  ],
  [['serve', '--port', '65536'], '--port must be at most 65535'],
  [['serve', '--port', '-1'], "--port must be a whole number (it is '-1')."],
])('svc %j is a usage error', async (args, message) => {
  // A workspace would be refused first.
  const { code, stdout, stderr } = await svc(...args)
  expect(stderr).toContain(message)
  expect(stderr).toMatch(/^svc: .*\n$/)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
})

test.concurrent('an argument with a leading dash comes after --', async () => {
  const workspace = makeWorkspace({})
  const { code, stderr } = await workspace.svc('release', 'show', '--', '--rel')
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'svc: Unknown release: --rel\nsvc: `svc release list` lists releases; give a full id, the beginning of an id, or a version\n',
  })
})

test.concurrent('colour is for terminals, never under NO_COLOR and always under FORCE_COLOR', () => {
  const terminal = { outIsTty: true, errIsTty: false, env: {} }
  expect(painter(terminal)('red', 'x')).toBe('\u001B[31mx\u001B[39m')
  expect(painter(terminal, 'err')('red', 'x')).toBe('x')
  expect(painter({ ...terminal, env: { NO_COLOR: '1' } })('red', 'x')).toBe('x')
  expect(painter({ ...terminal, env: { TERM: 'dumb' } })('red', 'x')).toBe('x')
  expect(painter({ ...terminal, outIsTty: false })('red', 'x')).toBe('x')
  const piped = { ...terminal, outIsTty: false }
  expect(painter({ ...piped, env: { FORCE_COLOR: '1', NO_COLOR: '1' } })('red', 'x')).toContain('\u001B')
  for (const off of ['0', 'false']) {
    expect(painter({ ...terminal, env: { FORCE_COLOR: off } })('red', 'x')).toBe('x')
  }
  expect(painter({ ...piped, env: { FORCE_COLOR: '' } })('red', 'x')).toBe('x')
})

test('svc help exit-codes names every command whose help speaks of an exit code', async () => {
  const { code, stdout } = await svc('help', 'exit-codes')
  expect(code).toBe(0)
  for (const { name, summary, options = [] } of COMMANDS) {
    const says = [summary, ...options.map(({ description }) => description)]
    if (says.some(text => /\bexit/i.test(text))) {
      expect(stdout, name).toContain(name.startsWith('release promote') ? 'release promote' : lastWord(name))
    }
  }
})

function lastWord(name: string): string {
  return name.split(' ').at(-1)!
}
