import { type } from 'arktype'
import { by } from '../checks.ts'
import { capabilitiesFit } from '../capability_checks.ts'
import { documented, under } from '../docs.ts'
import { EFFECTS } from '../names.ts'
import { Checksum, Identifier, JsonObject } from '../scalars.ts'

const Version = Identifier.or('null')

const Tool = JsonObject.and({
  name: Identifier,
  'version?': Version,
  'schema_sha256?': Checksum.or('null'),
  'effects?': type
    .enumerated(...EFFECTS)
    .array()
    .atMostLength(EFFECTS.length)
    .or('null'),
  'scopes?': Identifier.array().atMostLength(100).or('null'),
}).onUndeclaredKey('reject')

const Server = JsonObject.and({ name: Identifier, 'version?': Version, tools: Tool.array() }).onUndeclaredKey(
  'reject',
)

const SubAgent = JsonObject.and({ agent_id: Identifier, 'version?': Version }).onUndeclaredKey('reject')

const Model = JsonObject.and({ model: Identifier, 'provider?': Identifier.or('null') }).onUndeclaredKey(
  'reject',
)

/** `spec.capabilities` of release.yaml: the capabilities of a release. */
export const Capabilities = JsonObject.and({
  'tools?': Tool.array().or('null'),
  'mcp_servers?': Server.array().atMostLength(100).or('null'),
  'agents?': SubAgent.array().atMostLength(100).or('null'),
  'models?': Model.array().atMostLength(100).or('null'),
})
  .onUndeclaredKey('reject')
  .narrow(by(capabilitiesFit))
export type Capabilities = typeof Capabilities.infer

const TOOL_FIELDS = {
  name: 'Name that the agent calls it by.',
  version: 'Version of the tool.',
  schema_sha256:
    'SHA-256 of its input schema in canonical JSON, as `svc release capabilities capture` writes it.',
  effects:
    'What it may do: reads, writes, spends money, sends to others. An empty list says: none. Left out, nothing is known.',
  scopes: 'Permissions that it holds, such as mail.send. Left out, nothing is known.',
} as const

export const capabilities = documented(Capabilities, {
  title: 'Capabilities',
  written: true,
  description:
    'Capabilities of a release: `spec.capabilities` of release.yaml. It adds to spec.tools.tool_names, spec.runtime and spec.routing.',
  fields: {
    tools: 'Tools of the agent itself. An empty list says that it has none.',
    ...under('tools[].', TOOL_FIELDS),
    mcp_servers: 'Servers of the Model Context Protocol, with the tools that the agent may call.',
    'mcp_servers[].name': 'Name of the server.',
    'mcp_servers[].version': 'Version of the server.',
    'mcp_servers[].tools': 'Its tools.',
    ...under('mcp_servers[].tools[].', TOOL_FIELDS),
    agents: 'Agents that it may hand work to.',
    'agents[].agent_id': 'Name of the agent.',
    'agents[].version': 'Version of the agent.',
    models: 'Models that it may call besides those of spec.runtime and spec.routing.fallback.',
    'models[].model': 'Name of the model.',
    'models[].provider': "Its provider. Default: the runtime's.",
  },
  examples: [
    {
      tools: [
        { name: 'search_help', effects: ['reads'], scopes: [] },
        { name: 'send_mail', version: '2', effects: ['sends'], scopes: ['mail.send'] },
      ],
      mcp_servers: [
        { name: 'tickets', version: '1.4.0', tools: [{ name: 'open_ticket', effects: ['writes'] }] },
      ],
      agents: [{ agent_id: 'researcher' }],
    },
  ],
})
