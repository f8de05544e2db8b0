import { useState } from 'preact/hooks'
import type { Watch } from '../../../models/answers/watch.ts'
import { actor } from '../../../web/access.ts'
import { callApi } from '../../../web/api.ts'
import { useAttempt } from '../../../web/attempt.ts'
import { ChangeForm, Dialog } from '../../../web/components/dialog.tsx'
import { Field, Select } from '../../../web/components/field.tsx'
import { useInOrder } from '../../../web/environments.ts'
import { useBoard } from '../../../web/reads.ts'
import { change } from '../../../web/route.ts'

/** Starts a watch of what is live somewhere. */
export function StartWatch({ onClose }: { onClose: () => void }) {
  const live = (useBoard().data?.board ?? []).filter(({ promoted }) => promoted !== null)
  const agents = [...new Set(live.map(({ agent_id }) => agent_id))].sort()
  const [agent_id, setAgent] = useState('')
  const [chosen, setEnvironment] = useState('')
  const [length, setLength] = useState('2h')
  const [auto_rollback, setRollback] = useState(false)
  const attempting = useAttempt()
  const environments = useInOrder()(
    live.filter(entry => entry.agent_id === agent_id).map(entry => entry.environment),
  )
  const environment = environments.includes(chosen) ? chosen : (environments[0] ?? '')

  async function start(): Promise<void> {
    const body = { agent_id, environment, for: length.trim(), auto_rollback, actor: actor.value.trim() }
    const { watch_id } = await callApi<Watch>({ method: 'POST', path: 'v1/watches', body })
    onClose()
    change({ watch: watch_id })
  }

  return (
    <Dialog title="Start a watch" onClose={onClose}>
      <ChangeForm
        label="Start"
        back="Back"
        isReady={agent_id !== '' && environment !== ''}
        attempting={attempting}
        onBack={onClose}
        onSubmit={() => void attempting.attempt(start)}
      >
        <div class="fields">
          <Select label="Agent" value={agent_id} onChange={setAgent} options={agents} />
          <Select label="Environment" value={environment} onChange={setEnvironment} options={environments} />
          <Field label="For how long">
            {id => (
              <input
                id={id}
                size={6}
                required
                value={length}
                onInput={event => setLength(event.currentTarget.value)}
              />
            )}
          </Field>
        </div>
        <label class="check">
          <input
            type="checkbox"
            checked={auto_rollback}
            onChange={event => setRollback(event.currentTarget.checked)}
          />
          Roll back to the release before where it regresses, if the policy lets it
        </label>
      </ChangeForm>
    </Dialog>
  )
}
