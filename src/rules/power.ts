import { compareTexts, firstFew } from '../base/text.ts'
import type { CanonicalCapabilities } from '../models/answers/capabilities.ts'
import type { Release } from '../models/documents/release.ts'
import type { Capabilities } from '../models/documents/capabilities.ts'
import { EFFECTS } from '../models/names.ts'

/**
 * Capabilities of a release, in canonical form: sorted, every field there, equal for artifacts that say the same. Its SHA-256
 * is taken of its JSON text, so the order of the fields never changes.
 */
export type Power = CanonicalCapabilities
export type PowerTool = NonNullable<Power['tools']>[number]
type PowerModel = Power['models'][number]

/** The power of an artifact. `capabilities` is its `spec.capabilities` where that is one. */
export function powerOf({ spec }: Release, capabilities: Capabilities | undefined): Power {
  const named = spec.tools?.tool_names
  const { tools, mcp_servers, agents, models } = capabilities ?? {}
  const known = new Set(tools?.map(({ name }) => name))
  const ownTools = [
    ...(tools ?? []),
    ...[...new Set(named)].filter(name => !known.has(name)).map(name => ({ name })),
  ]
  const isSaid = named != null || tools != null || mcp_servers != null
  return {
    capabilities_version: 1,
    models: modelsOf(spec, models ?? []),
    tools: isSaid
      ? [
          ...ownTools.map(tool => toolOf(null, tool)),
          ...(mcp_servers ?? []).flatMap(server => server.tools.map(tool => toolOf(server.name, tool))),
        ].sort((a, b) => compareTexts(a.server ?? '', b.server ?? '') || compareTexts(a.name, b.name))
      : null,
    mcp_servers: (mcp_servers ?? [])
      .map(({ name, version }) => ({ name, version: version ?? null }))
      .sort((a, b) => compareTexts(a.name, b.name)),
    agents: (agents ?? [])
      .map(({ agent_id, version }) => ({ agent_id, version: version ?? null }))
      .sort((a, b) => compareTexts(a.agent_id, b.agent_id)),
  }
}

type GivenTool = NonNullable<Capabilities['tools']>[number]

function toolOf(
  server: string | null,
  { name, version, schema_sha256, effects, scopes }: GivenTool,
): PowerTool {
  return {
    server,
    name,
    version: version ?? null,
    schema_sha256: schema_sha256 ?? null,
    effects: effects == null ? null : EFFECTS.filter(effect => effects.includes(effect)),
    scopes: scopes == null ? null : [...new Set(scopes)].sort(compareTexts),
  }
}

/** The models that an artifact names: its own, its fallback, then the others by name, each once. */
export function modelsOf(
  { runtime, routing }: Release['spec'],
  further: NonNullable<Capabilities['models']>,
): PowerModel[] {
  const { provider, model } = runtime
  const fallback = routing?.fallback?.model
  const all: PowerModel[] = [
    { provider, model, role: 'runtime' },
    ...(fallback === undefined ? [] : [{ provider, model: fallback, role: 'fallback' } as const]),
    ...further
      .map(one => ({ provider: one.provider ?? provider, model: one.model, role: 'further' }) as const)
      .sort((a, b) => compareTexts(a.provider, b.provider) || compareTexts(a.model, b.model)),
  ]
  const first = new Map<string, PowerModel>()
  for (const one of all) {
    const key = `${one.provider}\0${one.model}`
    if (!first.has(key)) first.set(key, one)
  }
  return [...first.values()]
}

/** Where an artifact says one thing in two places, and not the same. */
export function contradictions({ spec }: Release, capabilities: Capabilities | undefined): string[] {
  const named = spec.tools?.tool_names
  const { tools, mcp_servers, agents } = capabilities ?? {}
  const said: string[] = []
  if (named != null && (tools != null || mcp_servers != null)) {
    const listed = new Set(
      [...(tools ?? []), ...(mcp_servers ?? []).flatMap(server => server.tools)].map(({ name }) => name),
    )
    const missing = [...new Set(named)].filter(name => !listed.has(name))
    const names = new Set(named)
    const unnamed = (tools ?? []).map(({ name }) => name).filter(name => !names.has(name))
    if (missing.length > 0)
      said.push(`spec.tools.tool_names has ${firstFew(missing)}, which spec.capabilities lacks`)
    if (unnamed.length > 0)
      said.push(`spec.capabilities.tools has ${firstFew(unnamed)}, which spec.tools.tool_names lacks`)
  }
  if (agents?.some(({ agent_id }) => agent_id === spec.agent.agent_id) === true) {
    said.push(`spec.capabilities.agents has ${spec.agent.agent_id}, the agent itself`)
  }
  return said
}
