import { createWriteStream, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { eventOf } from '../../support/services/builders.ts'
import {
  makePipe,
  makeWorkspace,
  startService,
  twoReleases,
  writeEvents,
} from '../../support/processes/cli.ts'

/** What is said of the release of these events, which nobody registered. */
const NOTE = 'svc: warning: release "rel_1" is not registered, so no diff shows its events\n'
const event = (run_id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...eventOf({ release_id: 'rel_1', run_id, at: Date.now() - 1000 }),
  ...more,
})
const line = (run_id: string, more?: Record<string, unknown>): string => JSON.stringify(event(run_id, more))

describe.concurrent('svc runs ingest', () => {
  test('prints how many events are new, and skips those that are known', async () => {
    const workspace = makeWorkspace({})
    writeEvents(workspace, 'a.jsonl', 30, { release_id: 'rel_1' })
    const ingest = (name: string) => workspace.svc('runs', 'ingest', name)
    expect(await ingest('a.jsonl')).toEqual({ code: 0, stdout: '30\n', stderr: NOTE })
    expect(await ingest('a.jsonl')).toEqual({
      code: 0,
      stdout: '0\n',
      stderr: `svc: 30 events were stored before: skipped\n${NOTE}`,
    })
    workspace.write('b.jsonl', `${line('a.jsonl-0')}\n${line('b')}\n${line('b')}\n`)
    expect((await ingest('b.jsonl')).stdout).toBe('1\n')
  })

  test.each([
    ['a JSON array', `[${line('a')},\n${line('b')}]`, 2],
    ['an array over many lines', JSON.stringify([event('a'), event('b'), event('c')], null, 2), 3],
    ['blank lines and Windows line ends', `\r\n${line('a')}\r\n\r\n${line('b')}\r\n`, 2],
    ['a last line without its end', `${line('a')}\n${line('b')}`, 2],
    ['a byte order mark', `\uFEFF${line('a')}\n`, 1],
    ['a byte order mark before an array', `\uFEFF[${line('a')}]`, 1],
    ['nothing', '', 0],
    ['blank lines only', '\n \n', 0],
    ['an empty array', ' []\n', 0],
  ])('reads %s from stdin and from a file', async (_, content, count) => {
    const { ok, svcWith, write } = makeWorkspace({})
    const piped = await svcWith({ input: content }, 'runs', 'ingest', '-')
    expect(piped).toEqual({
      code: 0,
      stdout: `${count}\n`,
      stderr: count > 0 ? NOTE : 'svc: stdin has no events\n',
    })
    write('events', content)
    expect(await ok('runs', 'ingest', 'events')).toBe('0')
  })

  test('names unknown fields with how many events have them, over all requests of a file', async () => {
    const { workspace, baseline } = await twoReleases({}, 0)
    const lines = Array.from({ length: 1200 }, (_, index) =>
      line(`r${index}`, { release_id: baseline, metrics: { sucess: false } }),
    )
    workspace.write('slip.jsonl', lines.join('\n'))
    expect(await workspace.svc('runs', 'ingest', 'slip.jsonl')).toEqual({
      code: 0,
      stdout: '1200\n',
      stderr:
        'svc: warning: metrics.sucess is not a field of a run event: dropped from 1200 events (first: run_id "r0"); ' +
        'did you mean metrics.success?\n',
    })
  })

  test('reads a pipe, which can be read once only', async () => {
    const workspace = makeWorkspace({})
    const { svc, path, folder, processWith } = workspace
    makePipe(workspace, 'pipe')
    const writer = createWriteStream(path('pipe'))
    writer.end(`${line('a')}\n${line('b')}\n`)
    expect(await svc('runs', 'ingest', 'pipe')).toMatchObject({ code: 0, stdout: '2\n' })
    const env = { TMPDIR: folder }
    expect((await processWith({ env, input: line('c') }, 'runs', 'ingest', '-')).stdout).toBe('1\n')
    expect(readdirSync(folder).filter(name => name.startsWith('svc-events'))).toEqual([])
  })

  test('notes releases that are not registered, at most 20 of them, and none that is', async () => {
    const { workspace, baseline } = await twoReleases({}, 0)
    writeEvents(workspace, 'known.jsonl', 3, { release_id: baseline })
    const known = await workspace.svc('runs', 'ingest', 'known.jsonl')
    expect(known).toEqual({ code: 0, stdout: '3\n', stderr: '' })
    const lines = Array.from({ length: 25 }, (_, index) => line(`x${index}`, { release_id: `rel_x${index}` }))
    workspace.write('mixed.jsonl', `${line('y', { release_id: baseline })}\n${lines.join('\n')}\n`)
    const mixed = await workspace.svc('runs', 'ingest', 'mixed.jsonl')
    expect(mixed).toMatchObject({ code: 0, stdout: '26\n' })
    const named = [...mixed.stderr.matchAll(/^svc: warning: release "(\w+)" is not registered,/gm)]
    expect(named.map(([, id]) => id)).toEqual(Array.from({ length: 20 }, (_, index) => `rel_x${index}`))
    expect(mixed.stderr.split('\n')).toHaveLength(22)
  })

  test('is told of releases that are not registered with a token that only ingests', async () => {
    const workspace = makeWorkspace({})
    const tokens = { SERVICE_LOCAL_API_TOKEN: 'main', SERVICE_INGEST_TOKEN: 'ingest' }
    const service = await startService(workspace, { env: tokens })
    const env = { SERVICE_URL: service.url, SERVICE_LOCAL_API_TOKEN: 'ingest' }
    const sent = await workspace.svcWith({ env, input: line('a') }, 'runs', 'ingest', '-')
    await service.stop()
    expect(sent).toEqual({ code: 0, stdout: '1\n', stderr: `svc: sending to ${service.url}\n${NOTE}` })
  })

  test('takes a file of many chunks', async () => {
    const workspace = makeWorkspace({})
    writeEvents(workspace, 'many.jsonl', 1601, { release_id: 'rel_1' })
    expect((await workspace.svc('runs', 'ingest', 'many.jsonl')).stdout).toBe('1601\n')
    expect((await workspace.svc('doctor', '--deep')).code).toBe(0)
  })

  test('of events that share a run_id takes the first one, however far apart they are', async () => {
    const { workspace, baseline } = await twoReleases(undefined, 0)
    const lines = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'].flatMap(tenant_id =>
      Array.from({ length: 500 }, (_, index) =>
        line(`run-${index}`, { tenant_id, release_id: baseline, environment: 'local' }),
      ),
    )
    workspace.write('again.jsonl', lines.join('\n'))
    expect((await workspace.svc('runs', 'ingest', 'again.jsonl')).stdout).toBe('500\n')
    const exported = await workspace.ok('runs', 'export', baseline, '--env', 'local', '--window', '1d')
    const stored = exported.split('\n').map(text => (JSON.parse(text) as { tenant_id: string }).tenant_id)
    expect(stored).toEqual(Array.from({ length: 500 }, () => 'first'))
  })
})

const GOOD = line('good')
const MISTAKES: readonly (readonly [name: string, content: string | Uint8Array, message: string])[] = [
  ['truncated', `${GOOD}\n${GOOD.slice(0, 40)}`, 'line 2 is not valid JSON: '],
  ['blank-lines', `\n${GOOD}\n\nnope\n`, 'line 4 is not valid JSON: '],
  ['not-an-object', `${GOOD}\n5\n`, 'line 2 is not a JSON object.'],
  ['null', 'null', 'line 1 is not a JSON object.'],
  ['deep', '{"a":'.repeat(65) + '1' + '}'.repeat(65), 'line 1 must not be nested more than 64 levels deep.'],
  ['two-on-a-line', `${GOOD}${GOOD}\n`, 'line 1 is not valid JSON: '],
  [
    'field',
    `${GOOD}\n${line('x', { tenant_id: 7 })}\n`,
    'line 2: Invalid RunEvent: (run_id "x") tenant_id must be',
  ],
  ['missing', '{}\n', 'line 1: Invalid RunEvent: '],
  ['body', `{"events": [${GOOD}]}\n`, 'one per line or as a JSON array, without {"events": …}. Nothing'],
  [
    'version',
    `${GOOD}\n${line('x', { api_version: 'v2' })}`,
    "line 2: Unsupported api_version: 'v2' (only 'v1' is accepted)",
  ],
  ['version-null', line('x', { api_version: null }), 'line 1: Unsupported api_version: null'],
  ['nul', `${line('a\u0000b')}\n`, 'line 1: Invalid RunEvent: '],
  ['surrogate', `${line('a\uD800b')}\n`, 'line 1: Invalid RunEvent: '],
  [
    'deep-list',
    `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    'line 1 must not be nested more than 64 levels deep.',
  ],
  [
    'long',
    `${line('x', { labels: { a: 'x'.repeat(300_000) } })}\n`,
    'line 1: Invalid RunEvent: (run_id "x")',
  ],
  ['endless', `${GOOD}\n"${'x'.repeat(5_000_000)}`, 'line 2 is longer than '],
  ['array', `[${GOOD}, {}]`, 'event 2: Invalid RunEvent: '],
  ['array-cut', `[${GOOD},`, ' is not valid JSON: '],
  [
    'array-deep',
    '['.repeat(100_000) + ']'.repeat(100_000),
    'it must not be nested more than 64 levels deep.',
  ],
  ['array-tail', `[${GOOD}]\n${GOOD}\n`, ' is not valid JSON: '],
  ['latin1', Uint8Array.of(0x7b, 0xe9, 0x7d, 0x0a), ' is not a UTF-8 text (near line 1).'],
]

test.concurrent('one bad line is named, and nothing of the file is ingested', async () => {
  const { svc, write, ok } = makeWorkspace({})
  await ok('doctor')
  await Promise.all(
    MISTAKES.map(async ([name, content, message]) => {
      write(name, content)
      const { code, stdout, stderr } = await svc('runs', 'ingest', name)
      expect({ name, code, stdout }).toEqual({ name, code: 1, stdout: '' })
      expect(stderr).toContain(message)
      expect(stderr).toMatch(new RegExp(`^svc: ${name}[, ].* Nothing was ingested\\.\n$`))
    }),
  )
  write('good', `${GOOD}\n`)
  // The good events of those files were not kept: this one is new.
  expect((await svc('runs', 'ingest', 'good')).stdout).toBe('1\n')
})

test.concurrent('the workspace and the file have to be there', async () => {
  const bare = makeWorkspace()
  const nowhere = await bare.svcWith({ input: '' }, 'runs', 'ingest', '-')
  expect(nowhere.code).toBe(1)
  expect(nowhere.stderr).toMatch(/^svc: Workspace config not found: service\.yaml.*\n$/)
  const { svc } = makeWorkspace({})
  expect((await svc('runs', 'ingest', 'gone')).stderr).toBe(
    "svc: gone can't be read: there is no such file or folder.\n",
  )
  expect((await svc('runs', 'ingest', '.')).stderr).toBe("svc: . can't be read: it is a folder.\n")
  const long = 'x'.repeat(300)
  expect((await svc('runs', 'ingest', long)).stderr).toBe(
    `svc: ${long} can't be read: the path is too long.\n`,
  )
})
