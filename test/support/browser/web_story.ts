import { readFileSync } from 'node:fs'
import { type RunProfile, demoEvents } from '../../../src/cli/workspace/demo_runs.ts'
import type { Release } from '../../../src/models/documents/release.ts'
import { quickstartFolder } from '../../../src/runtime/node/shipped.ts'
import { parseYaml } from '../../../src/runtime/yaml.ts'
import { type LedgerFiles, type WebServer, type WebServerOptions, webServer } from './web_server.ts'

const HOUR = 3_600_000
const PROFILES: Readonly<Record<string, RunProfile>> = {
  baseline: { runs: 900, inputTokens: 1400, outputTokens: 320, latencyMs: 1250, errorRate: 0.012 },
  candidate: { runs: 700, inputTokens: 1350, outputTokens: 300, latencyMs: 780, errorRate: 0.014 },
  regression: { runs: 650, inputTokens: 3900, outputTokens: 780, latencyMs: 2300, errorRate: 0.05 },
}

const HELP = { name: 'search_help', effects: ['reads'], scopes: [] }
const TICKET = { name: 'open_ticket', effects: ['writes'], scopes: ['tickets.write'] }

/** Capabilities of the releases: the regression may send mail, and has a server that says little of its tools. */
const CAPABILITY_SETS: Readonly<Record<string, unknown>> = {
  baseline: { tools: [HELP, TICKET] },
  candidate: { tools: [HELP, TICKET] },
  regression: {
    tools: [HELP, { ...TICKET, scopes: ['tickets.write', 'tickets.admin'] }],
    mcp_servers: [
      {
        name: 'mail',
        version: '1.4.0',
        tools: [{ name: 'send_mail', effects: ['sends'], scopes: ['mail.send'] }, { name: 'list_folders' }],
      },
    ],
    agents: [{ agent_id: 'researcher' }],
  },
}

export interface Story {
  readonly baseline: string
  readonly candidate: string
  /** Registered last, and blocked when it was tried. */
  readonly regression: string
}

/** The demo's releases and runs: the candidate is live, the regression was blocked an hour ago. */
export async function runStory(server: WebServer): Promise<Story> {
  const { send, clock } = server
  await send('POST /v1/pricing', { table: await quickstart('prices.yaml') })
  await send('PUT /v1/policy', await quickstart('policy.yaml'))
  clock.behindMs = 72 * HOUR
  const baseline = await register(server, 'baseline')
  await decide(server, baseline, 'ann', 'first release')
  clock.behindMs = 8 * HOUR
  const candidate = await register(server, 'candidate')
  clock.behindMs = 2 * HOUR
  const regression = await register(server, 'regression')
  await ingest(server, 'baseline', baseline)
  await ingest(server, 'candidate', candidate)
  await ingest(server, 'regression', regression)
  clock.behindMs = HOUR
  await decide(server, candidate, 'ann', 'cheaper and faster, same tone')
  clock.behindMs = 0.7 * HOUR
  await decide(server, regression, 'bob', 'nicer answers')
  clock.behindMs = 0
  await send('POST /v1/retirements', {
    provider: 'openai',
    model: 'gpt-4.1-mini',
    retires_on: new Date(Date.now() + 20 * 24 * HOUR).toISOString().slice(0, 10),
    reason: 'their deprecations page',
    actor: 'ann',
  })
  return { baseline, candidate, regression }
}

let written: Promise<{ readonly files: LedgerFiles; readonly story: Story }> | undefined

/** A server on a ledger of its own that knows the story. The story is written once, and copied then. */
export async function storyServer(
  options: WebServerOptions = {},
): Promise<{ readonly server: WebServer; readonly story: Story }> {
  written ??= seedOnce()
  const { files, story } = await written
  return { server: await webServer({ ...options, files }), story }
}

async function seedOnce(): Promise<{ files: LedgerFiles; story: Story }> {
  const server = await webServer()
  const story = await runStory(server)
  return { story, files: await server.closeAndKeep() }
}

async function quickstart(name: string): Promise<unknown> {
  return parseYaml(readFileSync(`${quickstartFolder()}${name}`, 'utf8'), name)
}

/** Registers a bundle of the quickstart folder. */
async function register({ send }: WebServer, name: string): Promise<string> {
  const shipped = (await quickstart(`${name}/release.yaml`)) as Release
  const artifact = { ...shipped, spec: { ...shipped.spec, capabilities: CAPABILITY_SETS[name] } }
  const answer = await send('POST /v1/releases', { artifact, checksum: 'ab'.repeat(32), environment: 'prod' })
  return answer.release_id as string
}

function decide({ send }: WebServer, release_id: string, actor: string, reason: string) {
  return send('POST /v1/promote', { release_id, environment: 'prod', window: '24h', reason, actor })
}

async function ingest({ send }: WebServer, name: string, release_id: string): Promise<void> {
  const { spec } = (await quickstart(`${name}/release.yaml`)) as Release
  const names = {
    agent_id: spec.agent.agent_id,
    release_id,
    provider: spec.runtime.provider,
    model: spec.runtime.model,
  }
  const lines = demoEvents(PROFILES[name]!, names, Date.now()).trim().split('\n')
  const [first, ...rest] = lines.map(line => JSON.parse(line) as { readonly usage: object })
  // One run calls a tool that no release declares.
  const tools = [{ tool_name: 'run_shell', invocations: 2, failures: 0 }]
  const calling = { ...first, usage: { ...first!.usage, tools } }
  await send('POST /v1/events', { events: [name === 'candidate' ? calling : first, ...rest] })
}

/** A release of any agent, identified by what matters. */
export function artifactOf(agent_id: string, version: string, description = ''): unknown {
  return {
    api_version: 'v1',
    kind: 'Release',
    metadata: { name: agent_id, version, ...(description === '' ? {} : { description }) },
    spec: {
      agent: { agent_id },
      runtime: { provider: 'openai', model: 'gpt-4.1' },
      pricing_reference: { provider: 'openai', pricing_version: 'list-2026-08-21' },
    },
  }
}
