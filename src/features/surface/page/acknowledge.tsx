import { useEffect, useRef, useState } from 'preact/hooks'
import type { Acknowledgement, PowerDifference } from '../../../models/answers/surface.ts'
import { actor } from '../../../web/access.ts'
import { callApi } from '../../../web/api.ts'
import { useAttempt } from '../../../web/attempt.ts'
import { ChangeForm, Dialog } from '../../../web/components/dialog.tsx'
import { Reason } from '../../../web/components/field.tsx'
import { Icon } from '../../../web/components/icon.tsx'
import { PlaceInWords, Replaces } from '../../../web/components/place.tsx'
import { Id } from '../../../web/components/text.tsx'
import { draftOf, openDecision, setDraft } from '../../../web/decide/open.ts'
import { type Comparing, useRelease } from '../../../web/reads.ts'
import { change } from '../../../web/route.ts'
import { PowerChanges, WhoMay } from './changes.tsx'

interface Given {
  readonly surface: PowerDifference
  readonly agent: string
  readonly comparing: Comparing
}

/** Acknowledges what a candidate may do beyond what is live; it is in the URL, so that a link opens it. */
export function AcknowledgeDialog({ surface, comparing }: Omit<Given, 'agent'>) {
  const [made, setMade] = useState<Acknowledgement | undefined>(undefined)
  // What is acknowledged is what is on show, also when something else is read meanwhile.
  const [shown] = useState(surface)
  const agent = useRelease(comparing.candidate).data?.agent_id ?? ''
  const given = { surface: shown, agent, comparing }
  return (
    <Dialog title="Acknowledge what it may do" onClose={close}>
      {made === undefined ? <Form {...given} onMade={setMade} /> : <Made {...given} made={made} />}
    </Dialog>
  )
}

function close(): void {
  change({ acknowledge: null })
}

function Form({ surface, agent, comparing, onMade }: Given & { onMade: (made: Acknowledgement) => void }) {
  const { baseline, candidate, environment } = comparing
  const draft = `acknowledge ${candidate} ${environment}`
  const reason = draftOf(draft)
  const attempting = useAttempt()

  async function submit(): Promise<void> {
    const made = await callApi<Acknowledgement>({
      method: 'POST',
      path: 'v1/acknowledgements',
      body: {
        release_id: candidate,
        environment,
        reason,
        expected_baseline_release_id: baseline,
        ...(actor.value.trim() === '' ? {} : { actor: actor.value.trim() }),
      },
    })
    setDraft(draft, '')
    onMade(made)
  }

  return (
    <ChangeForm
      label="Acknowledge"
      back="Cancel"
      isReady={reason.trim() !== ''}
      attempting={attempting}
      onBack={close}
      onSubmit={() => void attempting.attempt(submit)}
    >
      <div class="swap">
        <p>
          <PlaceInWords place={{ agent_id: agent, environment }} />
        </p>
        <Replaces baseline={baseline} candidate={candidate} />
      </div>
      <PowerChanges surface={surface} />
      <p>
        You say that it may do this. It holds for every release that may do the same, as long as what is live
        may do the same as now. <WhoMay only={surface.acknowledged_only_by ?? []} />
      </p>
      <Reason
        label="Reason"
        hint="Kept in the audit log, word for word."
        value={reason}
        onChange={text => setDraft(draft, text)}
      />
    </ChangeForm>
  )
}

/** What became of it, and what follows. */
function Made({ surface, agent, comparing, made }: Given & { made: Acknowledgement }) {
  const done = useRef<HTMLButtonElement>(null)
  useEffect(() => done.current?.focus(), [])
  const { candidate, environment } = comparing
  const takesAnother = surface.acknowledged_only_by?.includes('another') === true
  function promote(): void {
    close()
    openDecision('promote', agent, environment, candidate)
  }
  return (
    <div class="result" role="status">
      <p class="verdict-line ok">
        <Icon name="pass" size={20} />
        <strong>{made.reused === true ? 'You had acknowledged this before' : 'Acknowledged'}</strong>
      </p>
      <p>
        {takesAnother
          ? 'Somebody else than you can promote it now (approval_by_another).'
          : 'What it may do no longer blocks its promotion.'}
      </p>
      <p>
        On record as <Id value={made.acknowledgement_id} />
      </p>
      <footer>
        {!takesAnother && (
          <button type="button" class="button" onClick={promote}>
            Promote…
          </button>
        )}
        <button type="button" class="button primary" ref={done} onClick={close}>
          Done
        </button>
      </footer>
    </div>
  )
}
