import type { BoardEntry } from '../../models/answers/board.ts'
import { Dialog } from '../components/dialog.tsx'
import { Loaded } from '../components/states.tsx'
import { useBoard } from '../reads.ts'
import { param } from '../route.ts'
import { DecisionForm } from './form.tsx'
import { type Deciding, closeDecision } from './open.ts'

const TITLES: Readonly<Record<Deciding, string>> = {
  promote: 'Promote a release',
  rollback: 'Roll back',
}

/** The dialog that the URL asks for, on top of whatever page. */
export function DecisionDialog() {
  const what = param('decide')
  if (what !== 'promote' && what !== 'rollback') return null
  return <OpenDialog key={what} what={what} />
}

function OpenDialog({ what }: { what: Deciding }) {
  const [agent, environment] = [param('decide_agent'), param('decide_env')]
  const board = useBoard()
  return (
    <Dialog
      title={TITLES[what]}
      onClose={closeDecision}
      {...(what === 'rollback' ? { tone: 'danger' as const } : {})}
    >
      <Loaded known={board}>
        {({ board: entries }) => (
          <DecisionForm
            key={JSON.stringify([agent, environment])}
            what={what}
            entry={placeOf(entries, agent, environment)}
            release={param('decide_release')}
          />
        )}
      </Loaded>
    </Dialog>
  )
}

/** A release may be promoted to an environment that it was not registered with. */
function placeOf(entries: readonly BoardEntry[], agent_id: string, environment: string): BoardEntry {
  const found = entries.find(entry => entry.agent_id === agent_id && entry.environment === environment)
  const nothing = { promoted: null, last_action: null, newest_release: null, pending_requests: 0 }
  return found ?? { agent_id, environment, ...nothing }
}
