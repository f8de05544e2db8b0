import type { Release } from '../../models/documents/release.ts'
import type { Power, PowerTool } from '../../rules/power.ts'

/** What a bill of materials is made of. */
export interface BomFacts {
  readonly release_id: string
  /** SHA-256 of the bundle. */
  readonly checksum: string
  /** ISO-8601. */
  readonly created_at: string
  readonly artifact: Release
  readonly power: Power
  /** SHA-256 of the capabilities. */
  readonly capabilities_sha256: string
  readonly files: readonly { readonly path: string; readonly sha256: string }[]
}

type Json = Readonly<Record<string, unknown>>

/**
 * A bill of materials of a release by CycloneDX 1.6 (ECMA-424), without its serial number. The same release always gives
 * the same text: the agent is what it is about; models, sub-agents and files are its components; MCP servers and tools its
 * services.
 */
export function bomOf(facts: BomFacts): Json {
  const { release_id, checksum, created_at, artifact, power, files } = facts
  const { metadata, spec } = artifact
  const own = reference('release', release_id)
  const components = [
    ...power.models.map(modelComponent),
    ...power.agents.map(agentComponent),
    ...files.map(fileComponent),
  ]
  const tools = power.tools ?? []
  const servers = power.mcp_servers.map(({ name, version }) => ({
    'bom-ref': reference('mcp_server', name),
    name,
    ...(version === null ? {} : { version }),
    properties: [property('kind', 'mcp_server')],
    services: tools.filter(({ server }) => server === name).map(toolService),
  }))
  const services = [...servers, ...tools.filter(({ server }) => server === null).map(toolService)]
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: created_at,
      tools: { components: [{ type: 'application', name: 'release-governance' }] },
      component: {
        type: 'application',
        'bom-ref': own,
        name: spec.agent.agent_id,
        version: metadata.version,
        ...(metadata.description == null ? {} : { description: metadata.description }),
        hashes: [{ alg: 'SHA-256', content: checksum }],
        properties: [
          property('release_id', release_id),
          property('release_name', metadata.name),
          property('capabilities_sha256', facts.capabilities_sha256),
          property('pricing', `${spec.pricing_reference.provider}/${spec.pricing_reference.pricing_version}`),
          ...(power.tools === null ? [property('tools', 'not declared')] : []),
        ],
      },
    },
    components,
    services,
    dependencies: [
      { ref: own, dependsOn: [...components, ...services].map(refOf) },
      ...servers.map(server => ({ ref: server['bom-ref'], dependsOn: server.services.map(refOf) })),
    ],
  }
}

function refOf(part: { readonly 'bom-ref': string }): string {
  return part['bom-ref']
}

/** A name that no other part has: what separates the parts of it is encoded inside of them. */
function reference(kind: string, ...names: readonly string[]): string {
  return `${kind}:${names.map(name => encodeURIComponent(name.toWellFormed())).join('/')}`
}

function property(name: string, value: string): Json {
  return { name: `release-governance:${name}`, value }
}

function modelComponent({ provider, model, role }: Power['models'][number]) {
  return {
    type: 'machine-learning-model',
    'bom-ref': reference('model', provider, model),
    supplier: { name: provider },
    name: model,
    properties: [property('role', role)],
  }
}

function agentComponent({ agent_id, version }: Power['agents'][number]) {
  return {
    type: 'application',
    'bom-ref': reference('agent', agent_id),
    name: agent_id,
    ...(version === null ? {} : { version }),
    properties: [property('kind', 'agent')],
  }
}

function fileComponent({ path, sha256 }: BomFacts['files'][number]) {
  return {
    type: 'file',
    'bom-ref': reference('file', path),
    name: path,
    hashes: [{ alg: 'SHA-256', content: sha256 }],
  }
}

function toolService({ server, name, version, schema_sha256, effects, scopes }: PowerTool) {
  return {
    'bom-ref': server === null ? reference('tool', name) : reference('tool', server, name),
    name,
    ...(version === null ? {} : { version }),
    properties: [
      property('kind', 'tool'),
      ...(schema_sha256 === null ? [] : [property('schema_sha256', schema_sha256)]),
      ...(effects === null
        ? [property('effects', 'not declared')]
        : effects.map(effect => property('effect', effect))),
      ...(scopes === null
        ? [property('scopes', 'not declared')]
        : scopes.map(scope => property('scope', scope))),
    ],
  }
}
