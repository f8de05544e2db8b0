import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { compare, isBefore, leastVersion } from '../../../tools/compatibility/compare.ts'
import { describe as describeAll } from '../../../tools/compatibility/describe.ts'
import { readStable } from '../../../tools/compatibility/stable.ts'

const BEFORE = [
  'command release gate: --env!:string --output:"json"|"text" 1!:string',
  'request POST /v1/promote: body.reason!:string body.window:string',
  'answer Outcome: action!:"promote"|"rollback" policy!:object reason:null|string',
  'module release-governance/sdk: ServiceClient!:name',
]

test.each<[string, number, string, 'major' | 'minor', string]>([
  ['a command that is gone', 0, '', 'major', 'command release gate is gone'],
  ['an option that is gone', 0, BEFORE[0]!.replace('--env!:string ', ''), 'major', '--env is gone'],
  ['an option that is new', 0, `${BEFORE[0]} --agent:string`, 'minor', '--agent is new'],
  ['an option that is newly required', 0, `${BEFORE[0]} --agent!:string`, 'major', '--agent is required'],
  ['a field that is newly required', 1, `${BEFORE[1]} body.tag!:string`, 'major', 'body.tag is required'],
  [
    'an option that is required no more',
    0,
    BEFORE[0]!.replace('--env!', '--env'),
    'minor',
    '--env is optional now',
  ],
  [
    'a value that is taken no more',
    0,
    BEFORE[0]!.replace('"json"|', ''),
    'major',
    '--output is never "json" any more',
  ],
  [
    'a value that is new',
    0,
    BEFORE[0]!.replace('"json"', '"json"|"csv"'),
    'minor',
    '--output may be "csv" now',
  ],
  [
    'a field that has to be sent now',
    1,
    BEFORE[1]!.replace('window', 'window!'),
    'major',
    'is always there now',
  ],
  [
    'a field of an answer that is gone',
    2,
    BEFORE[2]!.replace('policy!:object ', ''),
    'major',
    'policy is gone',
  ],
  [
    'a field of an answer that may lack',
    2,
    BEFORE[2]!.replace('policy!', 'policy'),
    'major',
    'policy is optional now',
  ],
  [
    'a field of an answer that is always there',
    2,
    BEFORE[2]!.replace('reason', 'reason!'),
    'minor',
    'reason is always there',
  ],
  ['a field of an answer that is new', 2, `${BEFORE[2]} at!:string`, 'minor', 'at is new'],
  [
    'an answer that may be null now',
    2,
    BEFORE[2]!.replace('object', 'null|object'),
    'major',
    'policy may be null now',
  ],
  [
    'another value in an answer',
    2,
    BEFORE[2]!.replace('"promote"', '"hold"|"promote"'),
    'minor',
    'action may be "hold" now',
  ],
  [
    'an answer that is never null any more',
    2,
    BEFORE[2]!.replace('null|', ''),
    'minor',
    'reason is never null any more',
  ],
  ['a name that is gone', 3, 'module release-governance/sdk:', 'major', 'ServiceClient is gone'],
])('%s is told', (_, at, line, kind, said) => {
  const found = compare(BEFORE, BEFORE.with(at, line).filter(Boolean))
  expect(found[kind]).toEqual([expect.stringContaining(said)])
  expect(found[kind === 'major' ? 'minor' : 'major']).toEqual([])
})

test('the least version that may follow', () => {
  const none = { major: [], minor: [] }
  expect(leastVersion('1.4.2', none)).toBeUndefined()
  expect(leastVersion('1.4.2', { ...none, minor: ['x'] })).toBe('1.5.0')
  expect(leastVersion('1.4.2', { major: ['x'], minor: ['x'] })).toBe('2.0.0')
  expect(isBefore('1.9.0', '1.10.0')).toBe(true)
  expect(isBefore('1.10.0', '1.10.0')).toBe(false)
  expect(isBefore('2.0.0', '1.10.0')).toBe(false)
})

test('nothing that the last release promised is broken: docs/project/compatibility.md', async () => {
  const { version } = JSON.parse(readFileSync(`${ROOT_PATH}package.json`, 'utf8')) as { version: string }
  const stable = readStable()
  const { major } = compare(stable.lines, await describeAll())
  const isAllowed = Number(version.split('.')[0]) > Number(stable.version.split('.')[0])
  expect(isAllowed ? [] : major, `since ${stable.version}`).toEqual([])
})

test('one version is named everywhere, and `node tools/compatibility.ts` has noted what it promises', () => {
  const text = (path: string): string => readFileSync(ROOT_PATH + path, 'utf8')
  const { version } = JSON.parse(text('package.json')) as { version: string }
  const chart = text('deploy/helm/release-governance/Chart.yaml')
  expect(Array.from(chart.matchAll(/^(?:version|appVersion): (\S+)$/gm), ([, found]) => found)).toEqual([
    version,
    version,
  ])
  expect(text('package-lock.json')).toContain(`"name": "release-governance",\n  "version": "${version}"`)
  expect(text('CHANGELOG.md')).toContain(`\n## ${version}\n`)
  for (const page of ['docs/deploy.md', 'docs/quickstart.md']) {
    expect(text(page)).toContain(`release-governance-${version}.tgz`)
  }
  expect(readStable().version).toBe(version)
})

test('what is required within a new field is new, and breaks nobody', () => {
  const lines = BEFORE.with(1, `${BEFORE[1]} body.tags:array body.tags[]!:string`)
  expect(compare(BEFORE, lines)).toEqual({
    major: [],
    minor: ['request POST /v1/promote body.tags is new', 'request POST /v1/promote body.tags[] is new'],
  })
})
