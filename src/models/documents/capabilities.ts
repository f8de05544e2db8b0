import { type } from 'arktype'
import { capabilitiesFit } from '../capability_checks.ts'
import { EFFECTS } from '../names.ts'
import { Checksum, Identifier, json } from '../scalars.ts'
import { said } from '../model.ts'

const Version = Identifier.or('null')

const Tool = json({
  '+': 'reject',
  name: [Identifier, 'Name that the agent calls it by.'],
  'version?': [Version, 'Version of the tool.'],
  'schema_sha256?': [
    Checksum.or('null'),
    'SHA-256 of its input schema in canonical JSON, as `svc release capabilities capture` writes it.',
  ],
  'effects?': [
    type
      .enumerated(...EFFECTS)
      .array()
      .atMostLength(EFFECTS.length)
      .or('null'),
    'Its effects: reads, writes, spends money, sends to others. An empty list means none. Left out, they are unknown.',
  ],
  'scopes?': [
    Identifier.array().atMostLength(100).or('null'),
    'Its permissions, such as mail.send. Left out, they are unknown.',
  ],
})

const Server = json({
  '+': 'reject',
  name: [Identifier, 'Name of the server.'],
  'version?': [Version, 'Version of the server.'],
  tools: [Tool.array(), 'Its tools.'],
})

const SubAgent = json({
  '+': 'reject',
  agent_id: [Identifier, 'Name of the agent.'],
  'version?': [Version, 'Version of the agent.'],
})

const Model = json({
  '+': 'reject',
  model: [Identifier, 'Name of the model.'],
  'provider?': [Identifier.or('null'), "Its provider. Default: the runtime's."],
})

/** `spec.capabilities` of release.yaml: the capabilities of a release. */
export const Capabilities = said(
  json(
    {
      '+': 'reject',
      'tools?': [Tool.array().or('null'), 'Tools of the agent itself. An empty list means that it has none.'],
      'mcp_servers?': [
        Server.array().atMostLength(100).or('null'),
        'Servers of the Model Context Protocol, with the tools that the agent may call.',
      ],
      'agents?': [SubAgent.array().atMostLength(100).or('null'), 'Agents that it may hand work to.'],
      'models?': [
        Model.array().atMostLength(100).or('null'),
        'Models that it may call in addition to those of spec.runtime and spec.routing.fallback.',
      ],
    },
    capabilitiesFit,
  ),
  'Capabilities of a release: `spec.capabilities` of release.yaml. It adds to spec.tools.tool_names, spec.runtime and spec.routing.',
  {
    written: true,
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
  },
)
export type Capabilities = typeof Capabilities.infer
