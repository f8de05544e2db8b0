import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { checkDocument } from '../../models/all/check.ts'
import { problemsText } from '../../models/checks.ts'
import { CONFIG_FILE } from '../../runtime/documents.ts'
import { checkedFetch } from '../../runtime/node/send.ts'
import { loadWorkspace } from '../../runtime/node/workspace.ts'
import { yamlText } from '../../runtime/yaml.ts'
import { type McpTool, type CapabilityOptions, type CapabilityTool, mcpTools } from './capabilities.ts'
import type { Invocation, Options } from '../../cli/arguments/command.ts'
import { type Io, confirmed } from '../../cli/terminal/io.ts'
import { counted, safe } from '../../cli/terminal/text.ts'

/** An entry of `mcp_servers`. */
interface Server {
  readonly name: string
  readonly version?: string
  readonly tools: readonly CapabilityTool[]
}

/** Longest that a server may take in all. */
const TIMEOUT_S = 30

/** Most bytes that a server may say before it has said something whole. */
const MOST_BYTES = 4 * 1024 * 1024

/** Prints the capabilities of MCP servers as YAML: all of it, or nothing. */
export async function capture({ options, io }: Invocation): Promise<number> {
  const mcp = options.all('mcp')
  if (mcp.length === 0) throw badRequest('Name what to capture: --mcp CMD|URL.')
  const commands = mcp.filter(given => !isUrl(targetOf(given).target))
  if (!(await mayStart(commands, options, io))) {
    io.err('svc: nothing was started\n')
    return 1
  }
  const hints = { trustHints: options.flag('trust-hints') ?? false }
  const mcp_servers: Server[] = []
  for (const given of mcp) {
    const server = await serverOf(given, options, io, hints)
    await requireCapabilities({ mcp_servers: [server] }, targetOf(given).target)
    mcp_servers.push(server)
  }
  await requireCapabilities({ mcp_servers }, mcp.join(', '))
  const tools = mcp_servers.flatMap(server => server.tools)
  io.out(await yamlText({ mcp_servers }, HEAD))
  io.err(`svc: ${counted(tools.length, 'tool')}\n`)
  return 0
}

/** Throws 400 for what release.yaml can't hold, with where it is from. */
async function requireCapabilities(capabilities: unknown, source: string): Promise<void> {
  const checked = await checkDocument('Capabilities', capabilities)
  if (!checked.ok) {
    throw badRequest(
      `${source}: this is not a valid spec.capabilities: ${problemsText(checked.problems, 'it')}.`,
    )
  }
}

const HEAD =
  ' Put this under spec.capabilities of release.yaml.\n' +
  ' Add `effects` (reads, writes, spends, sends) and `scopes` to each tool: one without them may do anything.'

async function mayStart(commands: readonly string[], options: Options, io: Io): Promise<boolean> {
  if (commands.length === 0 || options.flag('yes') === true) return true
  for (const command of commands) io.err(`svc: this starts  ${safe(command)}\n`)
  return confirmed('Start it?', io)
}

/** Keeps the end of what a process writes. */
function lastOf(stream: Pick<NodeJS.EventEmitter, 'on'>): () => string {
  let text = ''
  stream.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-4000)
  })
  return () => text
}

/** `[NAME=]CMD|URL`. */
function targetOf(given: string): { readonly name: string | undefined; readonly target: string } {
  const [, name, target = given] = /^([\w.-]+)=(.+)$/s.exec(given) ?? []
  return { name, target }
}

function isUrl(target: string): boolean {
  return /^https?:\/\//i.test(target)
}

async function serverOf(given: string, options: Options, io: Io, hints: CapabilityOptions): Promise<Server> {
  const { name, target } = targetOf(given)
  const { Client, StreamableHTTPClientTransport } = await mcpClient()
  const client = new Client({ name: 'svc', version: '1' })
  const timeout = (options.number('timeout') ?? TIMEOUT_S) * 1000
  const limit = { timeout, signal: AbortSignal.timeout(timeout) }
  let wrote = (): string => ''
  let broke: Error | undefined
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
  client.onerror = error => {
    broke ??= error
  }
  try {
    if (isUrl(target)) {
      const fetch = checkedFetch({ denyPrivate: await deniesPrivate(io), mostBytes: MOST_BYTES })
      const requestInit = { headers: headersOf(options, io) }
      await client.connect(
        new StreamableHTTPClientTransport(new URL(target), { fetch: fetch as never, requestInit }),
        limit,
      )
    } else {
      const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
      const [command = '', ...args] = wordsOf(target)
      const transport = new StdioClientTransport({
        command,
        args,
        env: Object.fromEntries(options.all('pass-env').map(key => [key, setIn(io, key)])),
        cwd: io.cwd,
        stderr: 'pipe',
        maxBufferSize: MOST_BYTES,
      })
      wrote = lastOf(transport.stderr!)
      await client.connect(transport, limit)
    }
    const { name: ownName = 'server', version } = client.getServerVersion() ?? {}
    const tools = await mcpTools(await listed(client, limit), hints)
    return { name: name ?? ownName, ...(version === undefined ? {} : { version }), tools }
  } catch (error) {
    const why = limit.signal.aborted
      ? `took longer than ${timeout / 1000} s (--timeout)`
      : whyOf(error as Error, broke)
    const said = wrote().trim() === '' ? '' : `; it wrote: ${wrote().trim().split('\n').slice(-3).join(' ')}`
    throw badRequest(`${target}: ${why}${said}.`, error)
  } finally {
    await client.close()
  }
}

/** What went wrong; of a connection that is gone what ended it, where that is known. */
function whyOf(error: Error, broke: Error | undefined): string {
  const { message } = error.message === 'Connection closed' ? (broke ?? error) : error
  return message.replace(/\.$/, '')
}

type Mcp = typeof import('@modelcontextprotocol/client')

function mcpClient(): Promise<Mcp> {
  return import('@modelcontextprotocol/client').catch((error: unknown) => {
    throw badRequest(
      '--mcp needs the official MCP client, which svc does not install: npm install @modelcontextprotocol/client (next to release-governance; -g if svc was installed with -g).',
      error,
    )
  })
}

/** All tools of a server, page by page. Throws where its pages go in a circle. */
async function listed(
  client: InstanceType<Mcp['Client']>,
  limit: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<McpTool[]> {
  const tools: McpTool[] = []
  const seen = new Set<string>()
  for (let cursor: string | undefined; ;) {
    const params = cursor === undefined ? {} : { cursor }
    const page = await client.request({ method: 'tools/list', params }, limit)
    tools.push(...page.tools)
    cursor = page.nextCursor
    if (cursor === undefined) return tools
    if (seen.has(cursor))
      throw new Error(`its list of tools repeats: it returns ${JSON.stringify(cursor)} again`)
    seen.add(cursor)
    if (tools.length > MOST_LISTED) throw new Error(`it lists more than ${MOST_LISTED} tools`)
  }
}

/** More than capabilities may have. */
const MOST_LISTED = 2000

async function deniesPrivate({ cwd }: Io): Promise<boolean> {
  if (!existsSync(join(cwd, CONFIG_FILE))) return false
  return (await loadWorkspace(cwd, () => {})).webhooks.deny_private
}

function headersOf(options: Options, io: Io): Record<string, string> {
  const name = options.text('token-env')
  return name === undefined ? {} : { authorization: `Bearer ${setIn(io, name)}` }
}

/** A variable of the environment. Throws 400 where it is not set. */
function setIn({ env }: Io, name: string): string {
  const value = env[name]
  if (value === undefined || value === '') throw badRequest(`The variable ${name} is not set.`)
  return value
}

/** The words of a command: blanks part them, quotes hold them together. No shell reads it. */
function wordsOf(command: string): string[] {
  return Array.from(
    command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, plain]) => double ?? single ?? plain!,
  )
}
