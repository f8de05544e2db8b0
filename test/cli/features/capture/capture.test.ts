import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseYaml } from '../../../../src/runtime/yaml.ts'
import { type Workspace, makeWorkspace, runSvc } from '../../../support/processes/cli.ts'

/** A server of the Model Context Protocol that behaves as its first argument says; without the official server, which lies about nothing. */
const SERVER = `
import { createInterface } from 'node:readline'
const [mode] = process.argv.slice(2)
const say = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const tool = (name, more = {}) => ({ name, inputSchema: { type: 'object', properties: { b: {}, a: { type: 'string' } } }, ...more })
const deep = () => { let schema = {}; for (let level = 0; level < 500; level++) schema = { items: schema }; return schema }
const LISTS = {
  plain: () => ({ tools: [tool('send_mail'), tool('list_mail', { annotations: { readOnlyHint: true } })] }),
  pages: ({ cursor = '0' }) => ({ tools: [tool('t' + cursor)], ...(cursor === '2' ? {} : { nextCursor: String(Number(cursor) + 1) }) }),
  circle: () => ({ tools: [tool('a')], nextCursor: 'again' }),
  endless: ({ cursor = '0' }) => ({ tools: Array.from({ length: 1000 }, (_, index) => tool('t' + cursor + '_' + index)), nextCursor: String(Number(cursor) + 1) }),
  twice: () => ({ tools: [tool('a'), tool('a')] }),
  disguised: () => ({ tools: [tool('delete\\u202Euser')] }),
  deep: () => ({ tools: [tool('a', { inputSchema: { type: 'object', properties: { x: deep() } } })] }),
  nameless: () => ({ tools: [{ inputSchema: { type: 'object' } }] }),
  variables: () => ({ tools: Object.keys(process.env).filter(name => /^(SECRET|WANTED)/.test(name)).map(name => tool(name)) }),
}
if (mode === 'dies') { console.error('no API key'); process.exit(3) }
if (mode === 'floods') setInterval(() => process.stdout.write('x'.repeat(1 << 20)), 1)
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (mode === 'hangs' || id === undefined) continue
  if (method === 'initialize') {
    say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'mail', version: '1.4.0' } } })
  } else if (method === 'tools/list') {
    if (mode !== 'lists_late') say({ id, result: LISTS[mode](params ?? {}) })
  } else say({ id, error: { code: -32601, message: 'unknown' } })
}
`

function withServer(): Workspace & { readonly commandFor: (mode: string) => string } {
  const workspace = makeWorkspace()
  const path = workspace.write('server.mjs', SERVER)
  return { ...workspace, commandFor: mode => `"${process.execPath}" "${path}" ${mode}` }
}

const HASH = expect.stringMatching(/^[0-9a-f]{64}$/) as string
const capture = (...args: string[]): string[] => ['release', 'capabilities', 'capture', ...args]

/** The YAML of what it printed. */
async function capabilitiesOf({ svc }: Workspace, ...args: string[]) {
  const { code, stdout, stderr } = await svc(...capture(...args))
  if (code !== 0) throw new Error(stderr)
  return { capabilities: await parseYaml(stdout, 'capabilities.yaml'), stdout, stderr }
}

describe.concurrent('svc release capabilities capture --mcp', () => {
  test('writes down the tools of a server, with what has to be added by hand', async () => {
    const workspace = withServer()
    const { capabilities, stdout, stderr } = await capabilitiesOf(
      workspace,
      '--mcp',
      workspace.commandFor('plain'),
      '--yes',
    )
    expect(capabilities).toEqual({
      mcp_servers: [
        {
          name: 'mail',
          version: '1.4.0',
          tools: [
            { name: 'list_mail', schema_sha256: HASH },
            { name: 'send_mail', schema_sha256: HASH },
          ],
        },
      ],
    })
    expect(stdout).toMatch(/^# Put this under spec\.capabilities of release\.yaml\.\n# Add `effects`/)
    expect(stderr).toBe('svc: 2 tools\n')
  })

  test('believes hints only where it is told to, and names a server as it is told to', async () => {
    const workspace = withServer()
    const target = `inbox=${workspace.commandFor('plain')}`
    const { capabilities } = await capabilitiesOf(workspace, '--mcp', target, '--yes', '--trust-hints')
    expect(capabilities).toMatchObject({
      mcp_servers: [
        { name: 'inbox', tools: [{ name: 'list_mail', effects: ['reads'] }, { name: 'send_mail' }] },
      ],
    })
  })

  test('reads a list that comes in pages', async () => {
    const workspace = withServer()
    const { capabilities } = await capabilitiesOf(workspace, '--mcp', workspace.commandFor('pages'), '--yes')
    expect(capabilities).toMatchObject({
      mcp_servers: [{ tools: [{ name: 't0' }, { name: 't1' }, { name: 't2' }] }],
    })
  })

  test('starts nothing that nobody agreed to', async () => {
    const workspace = withServer()
    const command = `${workspace.commandFor('plain')} \u001b[2J`
    expect(await workspace.svc(...capture('--mcp', command))).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `svc: this starts  ${workspace.commandFor('plain')} \\u001b[2J\n` +
        'svc: There is no terminal to confirm this at; add --yes.\n',
    })
  })

  test('gives a server the variables that are passed on, and no others', async () => {
    const workspace = withServer()
    const args = capture('--mcp', workspace.commandFor('variables'), '--yes', '--pass-env', 'WANTED_KEY')
    const env = { WANTED_KEY: 'x', SECRET_KEY: 'y' }
    const { stdout } = await runSvc(args, workspace.folder, { env })
    expect(await parseYaml(stdout, 'capabilities.yaml')).toMatchObject({
      mcp_servers: [{ tools: [{ name: 'WANTED_KEY' }] }],
    })
    expect(await runSvc(args, workspace.folder)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('The variable WANTED_KEY is not set.'),
    })
  })

  test.each([
    ['hangs', 'took longer than 1 s (--timeout)'],
    ['lists_late', 'took longer than 1 s (--timeout)'],
    ['dies', 'it wrote: no API key'],
    ['circle', 'its list of tools repeats: it returns "again" again'],
    ['endless', 'it lists more than 2000 tools'],
    [
      'twice',
      'twice: this is not a valid spec.capabilities: mcp_servers[0].tools[1].name must be listed once',
    ],
    ['disguised', 'without control or invisible characters'],
    ['deep', 'a schema is nested too deeply'],
    ['nameless', 'name'],
    ['floods', 'exceeded maximum size'],
  ])('of a server that %s prints nothing but what is wrong', async (mode, problem) => {
    const workspace = withServer()
    const timeout = ['hangs', 'lists_late'].includes(mode) ? ['--timeout', '1'] : []
    const { code, stdout, stderr } = await workspace.svc(
      ...capture('--mcp', workspace.commandFor(mode), '--yes', ...timeout),
    )
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(problem)
    expect(stderr.length).toBeLessThan(2000)
  })

  test('speaks to a server by HTTP, with a token', async () => {
    const seen: string[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', chunk => (body += chunk))
      request.on('end', () => {
        seen.push(String(request.headers.authorization))
        const { id, method, params } = JSON.parse(body || '{}')
        if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end()
        const result =
          method === 'initialize'
            ? {
                protocolVersion: params.protocolVersion,
                capabilities: { tools: {} },
                serverInfo: { name: 'web', version: '2' },
              }
            : { tools: [{ name: 'a', inputSchema: { type: 'object' } }] }
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
      })
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
    const { folder } = makeWorkspace()
    const args = capture('--mcp', url, '--token-env', 'KEY')
    const { code, stdout, stderr } = await runSvc(args, folder, { env: { KEY: 'sesame' } })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(await parseYaml(stdout, 'capabilities.yaml')).toMatchObject({
      mcp_servers: [{ name: 'web', version: '2', tools: [{ name: 'a' }] }],
    })
    expect(new Set(seen)).toEqual(new Set(['Bearer sesame']))
    const guarded = makeWorkspace({ webhooks: { deny_private: true } })
    const refused = await guarded.svc(...capture('--mcp', url))
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/private|loopback|not public/i)
  })
})

test('svc release capabilities capture says what to say where nothing was said', async () => {
  expect(await makeWorkspace().svc(...capture())).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Name what to capture: --mcp CMD|URL.'),
  })
})
