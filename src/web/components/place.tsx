import { href } from '../route.ts'
import type { Column } from './table.tsx'
import { Id, Words } from './text.tsx'

interface Placed {
  readonly agent_id: string
  readonly environment: string
}

/** An agent and the environment that something of it is about. */
export function Place({ place: { agent_id, environment }, isMain }: { place: Placed; isMain: boolean }) {
  const agent = <Words>{agent_id}</Words>
  return (
    <span class="place">
      {isMain ? <strong>{agent}</strong> : agent}
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

export const RELEASE_COLUMN: Column<{ readonly release_id: string }> = {
  label: 'Release',
  cell: ({ release_id }) => <Id value={release_id} link={href('release', { id: release_id })} />,
}
