import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ROOT_PATH } from '../../../../src/runtime/root.ts'
import { SMALL_SAMPLES, copyOf, startService, twoReleases } from '../../../support/processes/cli.ts'

const made = await twoReleases(SMALL_SAMPLES)
const { baseline, candidate } = made
const PROGRAM = join(ROOT_PATH, 'bin/svc.cjs')

/** The official client, speaking to `svc mcp` over its stdin and stdout. */
async function connected({
  folder,
  args = [],
  env = {},
}: {
  folder: string
  args?: string[]
  env?: Record<string, string>
}) {
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  const server = { command: process.execPath, args: [PROGRAM, 'mcp', ...args], cwd: folder }
  await client.connect(
    new StdioClientTransport({ ...server, env: { PATH: '', USER: 'tester', ...env }, stderr: 'ignore' }),
  )
  // Knowing what tools answer, the client refuses any answer that is otherwise.
  const { tools } = await client.listTools()
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  const call = async (name: string, inputs: object = {}): Promise<any> => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...inputs } })
    const [{ text }] = content as [{ text: string }]
    if (isError === true) return { isError, text }
    expect(JSON.parse(text)).toEqual(structuredContent)
    return structuredContent
  }
  return { client, tools, call }
}

describe('an assistant', () => {
  test('sees tools that read, and no others', async () => {
    const { client, tools } = await connected(copyOf(made.workspace))
    expect(client.getServerVersion()).toMatchObject({ name: 'release-governance' })
    expect(tools.map(({ name }) => name)).toEqual(['releases', 'diff', 'gate', 'history', 'explain'])
    for (const { annotations, inputSchema, outputSchema, description } of tools) {
      expect(Object.keys(outputSchema!.properties!)).not.toEqual([])
      expect(outputSchema!.required).toEqual(expect.arrayContaining([expect.any(String)]))
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(description).toMatch(/\.$/)
    }
    await expect(client.callTool({ name: 'promote', arguments: {} })).rejects.toThrow('unknown tool: promote')
  })

  test('asks whether a release may be shipped, and why not', async () => {
    const workspace = copyOf(made.workspace)
    const { call } = await connected(workspace)
    const input = { release: candidate, environment: 'local', window: '1h' }
    expect(await call('gate', input)).toMatchObject({
      verdict: 'pass',
      reasons: [expect.stringContaining('first promotion')],
      baseline_release_id: null,
    })
    await workspace.ok('release', 'promote', baseline, '--env', 'local', '--window', '1h', '--reason', 'r')
    workspace.write('policy.json', { max_latency_ms: 0 })
    await workspace.ok('policy', 'set', 'policy.json')
    const blocked = await call('gate', input)
    expect(blocked).toMatchObject({ verdict: 'block', baseline_release_id: baseline, agent_id: 'bot' })
    const decision = ['--env', 'local', '--window', '1h', '--reason', 'r', '--dry-run', '--output', 'json']
    const dryRun = await workspace.svc('release', 'promote', candidate, ...decision)
    expect(blocked.reasons).toEqual(JSON.parse(dryRun.stdout).policy.reasons)
    const { releases, total, promoted } = await call('releases', { limit: 1 })
    expect({ releases, total }).toMatchObject({ releases: [{ agent_id: 'bot' }], total: 2 })
    expect(promoted).toEqual([{ agent_id: 'bot', environment: 'local', release_id: baseline }])
    const diff = await call('diff', { baseline, candidate, window: '1h', environment: 'local' })
    expect(diff.policy).toMatchObject({ passed: false })
    const { actions } = await call('history', { agent_id: 'bot' })
    expect(actions).toMatchObject([{ action: 'promote', release_id: baseline }])
    const explained = await call('explain', { action_id: actions[0].action_id })
    expect(explained).toMatchObject({ action_id: actions[0].action_id, evidence: expect.anything() })
    expect(JSON.parse(await workspace.ok('release', 'history', '--output', 'json')).actions).toHaveLength(1)
  })

  test('is told what is wrong with its inputs', async () => {
    const { call } = await connected(copyOf(made.workspace))
    const wrong: readonly [name: string, inputs: object, message: string][] = [
      ['gate', { release: 'rel_000000000000', environment: 'local', window: '1h' }, 'Unknown release'],
      ['gate', { release: 'x', environment: 'local' }, 'window must be given'],
      ['gate', { release: candidate, environment: '', window: '1h' }, 'environment must not be empty'],
      ['diff', { baseline, candidate, window: 'soon' }, 'Invalid window'],
      ['history', { limit: 'many' }, 'limit must be of type integer'],
      ['history', { limit: -1 }, 'limit must be from 1 to 200 (it is -1)'],
      ['releases', { limit: 201 }, 'limit must be from 1 to 200 (it is 201)'],
      ['history', { agent: 'bot' }, 'Unknown input agent; the inputs are agent_id'],
      ['explain', { action_id: 'act_none' }, 'act_none'],
    ]
    for (const [name, inputs, message] of wrong) {
      expect(await call(name, inputs)).toEqual({ isError: true, text: expect.stringContaining(message) })
    }
  })

  test('decides only where it is allowed to, and is on record', async () => {
    const workspace = copyOf(made.workspace)
    const { tools, call } = await connected({ ...workspace, args: ['--allow-writes'] })
    const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false)
    expect(writing.map(({ name }) => name)).toEqual(['promote', 'rollback'])
    const decision = { environment: 'local', window: '1h', reason: 'asked for in chat' }
    expect(await call('promote', { release: baseline, ...decision })).toEqual({
      isError: true,
      text: 'expected_baseline must be given.',
    })
    const first = { release: baseline, ...decision, expected_baseline: 'none' }
    expect(await call('promote', first)).toMatchObject({
      summary: 'bot in local promoted: 1',
      promoted_pointer_changed: true,
    })
    const next = { release: candidate, ...decision, expected_baseline: baseline }
    expect(await call('promote', next)).toMatchObject({ summary: 'bot in local promoted: 1 → 2' })
    expect(await call('rollback', { ...next, release: baseline })).toEqual({
      isError: true,
      text: expect.stringMatching(
        `^Live for bot in local is now 2 \\(${candidate}\\), promoted by tester at `,
      ),
    })
    await call('rollback', { release: baseline, ...decision, expected_baseline: '2' })
    workspace.write('policy.json', { max_latency_ms: 0 })
    await workspace.ok('policy', 'set', 'policy.json')
    expect(await call('promote', next)).toMatchObject({
      message: 'Promotion blocked by policy.',
      outcome: { policy: { passed: false } },
    })
    const { actions } = await call('history')
    expect(actions).toMatchObject([
      { policy_passed: false, actor: 'tester' },
      { policy_passed: true, action: 'rollback' },
      { policy_passed: true, release_id: candidate },
      { policy_passed: true, reason: 'asked for in chat' },
    ])
  })

  test('can make a first promotion where the workspace is strict', async () => {
    const workspace = copyOf(made.workspace)
    workspace.write('service.yaml', { ...SMALL_SAMPLES, strict: true })
    const { call } = await connected({ ...workspace, args: ['--allow-writes'] })
    const decision = { release: baseline, environment: 'local', window: '1h', reason: 'the first one' }
    expect(await call('promote', { ...decision, expected_baseline: 'none' })).toMatchObject({
      promoted_pointer_changed: true,
    })
  })

  test('may ask a running service, with a token that reads', async () => {
    const workspace = copyOf(made.workspace)
    const tokens = { SERVICE_LOCAL_API_TOKEN: 'main-of-the-test', SERVICE_READ_TOKEN: 'read-of-the-test' }
    const service = await startService(workspace, { env: tokens })
    onTestFinished(async () => void (await service.stop()))
    const env = { SERVICE_LOCAL_API_TOKEN: tokens.SERVICE_READ_TOKEN }
    const { call } = await connected({ ...workspace, args: ['--url', service.url], env })
    const input = { release: candidate, environment: 'local', window: '1h' }
    expect(await call('gate', input)).toMatchObject({ verdict: 'pass' })
    const writer = await connected({ ...workspace, args: ['--url', service.url, '--allow-writes'], env })
    const tried = await writer.call('promote', { ...input, reason: 'r', expected_baseline: 'none' })
    expect(tried).toEqual({ isError: true, text: expect.stringContaining('may not change') })
  })
})

describe('what is no request', () => {
  test('is an error, and the next is answered', async () => {
    const refused: readonly [line: string, code: number, id: unknown][] = [
      ['nonsense', -32_700, null],
      ['[]', -32_600, null],
      ['null', -32_600, null],
      ['{"jsonrpc":"2.0","id":1}', -32_600, 1],
      ['{"jsonrpc":"2.0","id":"a","method":"resources/list"}', -32_601, 'a'],
      ['{"jsonrpc":"2.0","id":2,"method":"constructor"}', -32_601, 2],
      ['{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"toString"}}', -32_602, 3],
      ['{"jsonrpc":"2.0","id":4,"method":"tools/call"}', -32_602, 4],
    ]
    const ping = '{"jsonrpc":"2.0","id":9,"method":"ping"}'
    const lines = refused.flatMap(([line]) => [line, ping])
    const { answers, exit } = await spoken(`${lines.join('\n')}\n`, lines.length)
    expect(answers).toEqual(
      refused.flatMap(([, code, id]) => [
        { jsonrpc: '2.0', id, error: { code, message: expect.any(String) } },
        { jsonrpc: '2.0', id: 9, result: {} },
      ]),
    )
    expect(exit).toEqual([0, null])
  })

  test('of notifications and answers nothing is said; another version is offered the newest', async () => {
    const lines = [
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","id":7,"result":{}}',
      '',
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}',
    ]
    const { answers } = await spoken(`${lines.join('\n')}\n`, 1)
    expect(answers).toMatchObject([{ id: 1, result: { protocolVersion: '2025-11-25' } }])
  })

  test('that has no end, ends it', async () => {
    const { answers, exit } = await spoken('x'.repeat(1024 * 1024 + 1), 0)
    expect({ answers, exit }).toEqual({ answers: [], exit: [1, null] })
  })
})

/** What `svc mcp` answers to a text, and how it ends after that. */
async function spoken(text: string, count: number): Promise<{ answers: unknown[]; exit: unknown[] }> {
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], {
    cwd: made.workspace.folder,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const answers: unknown[] = []
  const read = (async () => {
    for await (const line of createInterface({ input: child.stdout })) answers.push(JSON.parse(line))
  })()
  child.stdin.end(text)
  const exit = await exited
  await read
  expect(answers).toHaveLength(count)
  return { answers, exit }
}
