import type { PricedNames } from '../../rules/price_names.ts'
import { FACTS, OWN_AGENT } from '../../spans/names.ts'
import { type Span, textOf, textsOf } from '../../spans/span.ts'

/** What the rule for runs has to know of a registered release. */
export interface KnownRelease {
  readonly release_id: string
  readonly agent_id: string
  readonly version: string
  /** Where it was registered for. */
  readonly environment: string
  readonly checksum: string
  /** spec.runtime.model. */
  readonly model: string
  /** The price table that it is priced by. */
  readonly pricing: { readonly provider: string; readonly pricing_version: string }
  /** The models that this table has a price for. */
  readonly models: PricedNames
}

/** Releases that an export is about: by id, or by agent and version. */
export interface ReleaseLookup {
  readonly release_ids: readonly string[]
  readonly versions: readonly { readonly agent_id: string; readonly version: string }[]
}

/** What the root of a run says of its release. */
export interface ReleaseNames {
  readonly release_id: string | undefined
  /** Names that the agent goes by, the first known one counts. */
  readonly agents: readonly string[]
  readonly version: string | undefined
}

/** Whether a span names the agent of a release as its own, and not only by its service. */
export function isNamedAgent({ attributes }: Span, { agent_id }: KnownRelease): boolean {
  return OWN_AGENT.some(name => attributes[name] === agent_id)
}

export function namedBy(root: Span): ReleaseNames {
  return {
    release_id: textOf(root, FACTS.release_id),
    agents: textsOf(root, FACTS.agent),
    version: textOf(root, FACTS.version),
  }
}

/** What has to be looked up for these, each once. */
export function wantedBy(all: Iterable<ReleaseNames>): ReleaseLookup {
  const ids = new Set<string>()
  const versions = new Map<string, Set<string>>()
  for (const { release_id, agents, version } of all) {
    if (release_id !== undefined) ids.add(release_id)
    else if (version !== undefined) {
      for (const agent of agents) {
        const wanted = versions.get(agent)
        if (wanted === undefined) versions.set(agent, new Set([version]))
        else wanted.add(version)
      }
    }
  }
  return {
    release_ids: [...ids],
    versions: [...versions].flatMap(([agent_id, named]) =>
      Array.from(named, version => ({ agent_id, version })),
    ),
  }
}

/** Finds the release of a run among those that were looked up, newest first; or says why there is none. */
export class Releases {
  readonly #byId: ReadonlyMap<string, KnownRelease>
  readonly #byAgent: ReadonlyMap<string, ReadonlyMap<string, readonly KnownRelease[]>>

  constructor(known: readonly KnownRelease[]) {
    this.#byId = new Map(known.map(release => [release.release_id, release]))
    const byAgent = Map.groupBy(known, ({ agent_id }) => agent_id)
    this.#byAgent = new Map(
      Array.from(byAgent, ([agent, own]) => [agent, Map.groupBy(own, ({ version }) => version)]),
    )
  }

  find({ release_id, agents, version }: ReleaseNames): KnownRelease | string {
    if (release_id !== undefined) return this.#byId.get(release_id) ?? `unknown release: ${release_id}`
    if (version === undefined) {
      return 'it names no release: set release_governance.release_id, or service.version for the release of that version'
    }
    for (const agent of agents) {
      const [newest, ...others] = this.#byAgent.get(agent)?.get(version) ?? []
      if (newest === undefined) continue
      if (others.every(({ checksum }) => checksum === newest.checksum)) return newest
      return `several releases of ${agent} have version ${version} and differ: set release_governance.release_id`
    }
    const names = agents.length > 0 ? agents.join(' or ') : 'an agent without a name'
    return `no release of ${names} has version ${version}: register it, or set release_governance.release_id`
  }
}
