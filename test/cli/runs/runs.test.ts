import { lstatSync, symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { eventOf } from '../../support/services/builders.ts'
import { copyOf, makePipe, makeWorkspace, twoReleases, writeEvents } from '../../support/processes/cli.ts'

const made = await twoReleases(undefined, 0)
const id = made.baseline
writeEvents(made.workspace, 'local.jsonl', 12, { release_id: id, latency: 1500, input: 12_345 })
writeEvents(made.workspace, 'prod.jsonl', 3, {
  release_id: id,
  environment: 'prod',
  tenant_id: 't2',
  task_id: 'k2',
  success: false,
  request: { trace_id: 'trace-1', session_id: 'session-1', span_id: 'span-1' },
})
await made.workspace.ok('runs', 'ingest', 'local.jsonl')
await made.workspace.ok('runs', 'ingest', 'prod.jsonl')

interface Page {
  readonly matched_total: number
  readonly events: { run_id: string }[]
}

describe.concurrent('svc runs find', () => {
  const { svc } = copyOf(made.workspace)

  test('names release and environment of the runs of a trace, which nobody had to know', async () => {
    const { code, stdout, stderr } = await svc('runs', 'find', 'trace-1')
    expect([code, stderr]).toEqual([0, ''])
    const [header, first] = stdout.split('\n')
    expect(header).toMatch(/^matched by +release +env +timestamp +run_id/)
    expect(first).toMatch(new RegExp(`^trace +${id} +prod +`))
  })

  test('--output json is what GET /v1/runs/find answers', async () => {
    const { stdout } = await svc('runs', 'find', 'session-1', '--limit', '2', '--output', 'json')
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'session-1',
      truncated: true,
      runs: [{ matched_by: 'session', event: { release_id: id, environment: 'prod' } }, {}],
    })
  })

  test('says that there is none', async () => {
    const { code, stderr } = await svc('runs', 'find', 'nothing', '--window', '1h')
    expect(code).toBe(0)
    expect(stderr).toMatch(/^svc: no run, and since \S+ no trace, session or span, has the id nothing\n$/)
  })
})

describe.concurrent('svc runs list', () => {
  const { svc } = copyOf(made.workspace)
  const list = (...more: string[]) => svc('runs', 'list', id, '--window', '1h', ...more)
  const page = async (...more: string[]): Promise<Page> =>
    JSON.parse((await list('--output', 'json', ...more)).stdout) as Page

  test('prints aligned columns on stdout and the counts on stderr', async () => {
    const { code, stdout, stderr } = await list('--limit', '2')
    expect(code).toBe(0)
    const [header, first] = stdout.split('\n')
    expect(header).toMatch(/^timestamp +run_id +tenant +task +result +latency +tokens in +tokens out$/)
    expect(first).toMatch(/^\d{4}-\S+Z +local\.jsonl-0 +t1 +k1 +ok +1500 ms +12,345 +500$/)
    expect(stderr).toBe('svc: 2 of 12 matching events; the next ones with --offset 2\n')
  })

  test('counts the tokens of all models of a run', async () => {
    const workspace = copyOf(made.workspace)
    const event = eventOf({ release_id: id, environment: 'two', run_id: 'two', at: Date.now() - 1000 })
    const { model } = event.usage as { model: object }
    const models = [{ ...model, model: 'm2', input_tokens: 20_000, output_tokens: 7 }]
    workspace.write('two.jsonl', JSON.stringify({ ...event, usage: { model, models } }))
    await workspace.ok('runs', 'ingest', 'two.jsonl')
    const { stdout } = await workspace.svc('runs', 'list', id, '--window', '1h', '--env', 'two')
    expect(stdout.split('\n')[1]).toMatch(/ +21,000 +507$/)
  })

  test('--output json is what GET /v1/runs answers, newest first', async () => {
    const { stdout, stderr } = await list('--output', 'json')
    expect(stderr).toBe('')
    const body = JSON.parse(stdout) as Page
    expect(body).toMatchObject({
      release_id: id,
      filters: {
        environment: 'local',
        tenant_id: null,
        task_id: null,
        trace_id: null,
        session_id: null,
        span_id: null,
      },
      offset: 0,
      limit: 100,
      matched_total: 12,
      returned: 12,
      truncated: false,
    })
    expect(body.events.map(({ run_id }) => run_id)).toEqual(
      Array.from({ length: 12 }, (_, index) => `local.jsonl-${index}`),
    )
  })

  test('filters by everything that the specification names, and pages', async () => {
    const matched = async (...more: string[]): Promise<number> => (await page(...more)).matched_total
    expect(await matched('--env', 'prod')).toBe(3)
    expect(await matched('--env', 'prod', '--tenant', 't2', '--task', 'k2')).toBe(3)
    expect(await matched('--env', 'prod', '--trace-id', 'trace-1')).toBe(3)
    expect(await matched('--env', 'prod', '--session-id', 'session-1', '--span-id', 'span-1')).toBe(3)
    expect(await matched('--env', 'prod', '--tenant', 't1')).toBe(0)
    expect(await matched('--trace-id', 'trace-1')).toBe(0)
    const { events } = await page('--offset', '10', '--limit', '1')
    expect(events.map(({ run_id }) => run_id)).toEqual(['local.jsonl-10'])
  })

  test.each([
    [['--limit', '0'], 'limit must be at least 1'],
    [['--limit', '501'], 'limit must be at most 500'],
    [['--offset', '500001'], 'offset must be at most 500000'],
    [['--offset', '-1'], "--offset must be a whole number (it is '-1')."],
    [['--tenant', ''], '--tenant is empty.'],
  ])('refuses %j', async (more, message) => {
    const { code, stdout, stderr } = await list(...more)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^svc: .*\n$/)
    expect(stderr).toContain(message)
  })

  test('says where there are runs if there are none here, as an export does', async () => {
    const elsewhere = `svc: ${id} has no runs in porod, but in local, prod; say so with --env\n`
    expect((await list('--env', 'porod')).stderr).toBe(`svc: 0 of 0 matching events\n${elsewhere}`)
    const exported = await svc('runs', 'export', id, '--window', '1h', '--env', 'porod')
    expect(exported).toEqual({ code: 0, stdout: '', stderr: elsewhere })
    const { stderr } = await list('--env', 'prod', '--tenant', 'nobody')
    expect(stderr).toContain(`svc: ${id} has runs in prod, but none that match in the last 1h\n`)
  })

  test('names an unknown release and a window that is none', async () => {
    const unknown = await svc('runs', 'list', 'rel_x', '--window', '1h')
    expect(unknown).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'svc: Unknown release: rel_x\nsvc: `svc release list` lists releases; give a full id, the beginning of an id, or a version\n',
    })
    const window = await svc('runs', 'list', id, '--window', '90s')
    expect(window.code).toBe(1)
    expect(window.stderr).toMatch(/^svc: Invalid window.*\n$/)
  })
})

describe.concurrent('svc runs export', () => {
  const source = copyOf(made.workspace)

  test('prints JSONL that can be ingested again, and nothing else on stdout', async () => {
    const { stdout, stderr, code } = await source.svc('runs', 'export', id, '--window', '1h')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const events = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as { run_id: string })
    expect(events).toHaveLength(12)
    const other = makeWorkspace({})
    const again = await other.svcWith({ input: stdout }, 'runs', 'ingest', '-')
    expect(again).toMatchObject({ code: 0, stdout: '12\n' })
  })

  test('-o writes a file, and a truncated page warns on stderr', async () => {
    const workspace = copyOf(made.workspace)
    const { svc, write, read } = workspace
    const full = await svc('runs', 'export', id, '--window', '1h', '-o', 'all.jsonl')
    expect(full).toEqual({ code: 0, stdout: '', stderr: 'svc: wrote 12 events to all.jsonl\n' })
    const all = read('all.jsonl')
    write('part.jsonl', 'what was there before')
    const more = ['--offset', '2', '--limit', '5', '-o', 'part.jsonl']
    const part = await svc('runs', 'export', id, '--window', '1h', ...more)
    expect(part).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'svc: wrote 5 events to part.jsonl\n' +
        'svc: truncated: 5 of 12 matching events; for the rest run it again with --offset 7, each to a file of its own\n',
    })
    expect(read('part.jsonl')).toBe(`${all.split('\n').slice(2, 7).join('\n')}\n`)
    const byTwo = await svc('runs', 'export', id, '--window', '1h', '--limit', '2')
    expect(byTwo.stderr).toContain('with --offset 2, 4, … 10\n')
    const byFour = await svc('runs', 'export', id, '--window', '1h', '--limit', '4')
    expect(byFour.stderr).toContain('with --offset 4, 8\n')
    const limit = await svc('runs', 'export', id, '--window', '1h', '--limit', '501')
    expect(limit.stderr).toBe('svc: Invalid input: limit must be at most 500\n')
  })

  test('-o replaces the file behind a symlink, and writes into a pipe without replacing it', async () => {
    const workspace = copyOf(made.workspace)
    const { svc, write, path, read } = workspace
    write('real.jsonl', '')
    symlinkSync(path('real.jsonl'), path('link.jsonl'))
    const exportTo = (file: string) =>
      svc('runs', 'export', id, '--window', '1h', '--limit', '12', '-o', file)
    expect((await exportTo('link.jsonl')).code).toBe(0)
    expect(read('real.jsonl').split('\n')).toHaveLength(13)
    makePipe(workspace, 'pipe')
    const [piped] = await Promise.all([readFile(path('pipe'), 'utf8'), exportTo('pipe')])
    expect(piped).toBe(read('real.jsonl'))
    expect(lstatSync(path('pipe')).isFIFO()).toBe(true)
    expect(lstatSync(path('link.jsonl')).isSymbolicLink()).toBe(true)
  })

  test('exports 500 events at most', async () => {
    const workspace = copyOf(made.workspace)
    writeEvents(workspace, 'many.jsonl', 501, { release_id: id, environment: 'bulk' })
    await workspace.ok('runs', 'ingest', 'many.jsonl')
    const { stdout, stderr } = await workspace.svc('runs', 'export', id, '--window', '1h', '--env', 'bulk')
    expect(stdout.trimEnd().split('\n')).toHaveLength(500)
    expect(stderr).toBe(
      'svc: truncated: 500 of 501 matching events; for the rest run it again with --offset 500\n',
    )
  })
})

test.concurrent('text of events cannot move the cursor or break a line', async () => {
  const workspace = copyOf(made.workspace)
  const event = eventOf({
    release_id: id,
    run_id: 'a\u001B[2Jb\nc',
    tenant_id: '\u009Bx',
    environment: 'odd',
    at: Date.now() - 1000,
  })
  workspace.write('odd.jsonl', `${JSON.stringify(event)}\n`)
  await workspace.ok('runs', 'ingest', 'odd.jsonl')
  const { stdout } = await workspace.svc('runs', 'list', id, '--window', '1h', '--env', 'odd')
  expect(stdout).toContain(String.raw`a\u001b[2Jb\u000ac`)
  expect(stdout).toContain(String.raw`\u009bx`)
  expect(stdout.split('\n')).toHaveLength(3)
  const unknown = await workspace.svc('runs', 'list', 'a\u001B[2Jb\nc', '--window', '1h')
  expect(unknown.stderr).toBe(
    `svc: Unknown release: ${String.raw`a\u001b[2Jb\u000ac`}\nsvc: \`svc release list\` lists releases; give a full id, the beginning of an id, or a version\n`,
  )
})
