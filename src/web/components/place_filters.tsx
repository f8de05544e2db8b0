import { useEnvironments } from '../environments.ts'
import { useBoard } from '../reads.ts'
import { change, param } from '../route.ts'
import { Filter } from './field.tsx'

/** Filters by agent and environment, which stand in the address. */
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
