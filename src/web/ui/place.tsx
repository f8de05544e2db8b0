import { useEnvironments } from '../environments.ts'
import { useBoard, useReleases } from '../reads.ts'
import { change, href, param } from '../route.ts'
import { Filter } from './field.tsx'
import { Id, Words } from './text.tsx'

interface Placed {
  readonly agent_id: string
  readonly environment: string
}

/** An agent, with a link to its page, and the environment that something of it is about. */
export function Place({ place: { agent_id, environment } }: { place: Placed }) {
  return (
    <span class="place">
      <a class="plain-link" href={href('place', { agent: agent_id, env: environment })}>
        <Words>{agent_id}</Words>
      </a>
      <span class="env">
        <Words>{environment}</Words>
      </span>
    </span>
  )
}

/** The same in a sentence. */
export function PlaceInWords({ place: { agent_id, environment } }: { place: Placed }) {
  return (
    <>
      <strong>
        <Words>{agent_id}</Words>
      </strong>{' '}
      in{' '}
      <strong>
        <Words>{environment}</Words>
      </strong>
    </>
  )
}

/** A release by its version and its id, which leads to its page. */
export function ReleaseId({ id, isLink = true }: { id: string; isLink?: boolean }) {
  const version = useReleases().data?.releases.find(({ release_id }) => release_id === id)?.version
  return (
    <span class="place">
      {version !== undefined && <Words>{version}</Words>}
      <Id value={id} {...(isLink ? { link: href('place', { release: id }) } : {})} />
    </span>
  )
}

/** Leads from a decision, or a request, to what the diff said then. */
export function MomentLink(
  diff: Readonly<Record<'agent' | 'env' | 'baseline' | 'candidate' | 'window' | 'until', string>>,
) {
  return (
    <p>
      <a href={href('place', diff)}>The comparison of that moment</a>
    </p>
  )
}

/** Filters by agent and environment, which are in the address. */
export function PlaceFilters({ placeholder = 'any' }: { placeholder?: string }) {
  const board = useBoard().data?.board ?? []
  return (
    <>
      <Filter
        label="Agent"
        value={param('agent')}
        onChange={agent => change({ agent, after: null })}
        options={[...new Set(board.map(entry => entry.agent_id))]}
      />
      <Filter
        label="Environment"
        value={param('env')}
        placeholder={placeholder}
        onChange={env => change({ env, after: null })}
        options={useEnvironments()}
      />
    </>
  )
}
