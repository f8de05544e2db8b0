import { Words } from '../ui/text.tsx'
import { useNames } from '../reads.ts'

/** The title of a decision: what is done, where, and what replaces what. It stays in sight while the rest scrolls. */
export function Whose({
  what,
  place: { agent_id, environment },
  from,
  to,
}: {
  what: string
  place: { readonly agent_id: string; readonly environment: string }
  /** Releases by their ids; empty where there is none, or none is chosen yet. */
  from: string
  to: string
}) {
  const name = useNames()
  return (
    <>
      {what}: <Words>{agent_id}</Words> · <Words>{environment}</Words>{' '}
      {to !== '' && (
        <span class="nowrap">
          {from !== '' && (
            <>
              <Words>{name(from)}</Words> →{' '}
            </>
          )}
          <Words>{name(to)}</Words>
        </span>
      )}
    </>
  )
}
