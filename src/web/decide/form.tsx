import { useEffect, useState } from 'preact/hooks'
import type { BoardEntry } from '../../models/answers/board.ts'
import { useAttempt } from '../attempt.ts'
import { ChangeForm } from '../components/dialog.tsx'
import { Reason, Select, WindowField } from '../components/field.tsx'
import { PlaceInWords } from '../components/place.tsx'
import { Id, Time, Words } from '../components/text.tsx'
import { useWorkspace } from '../reads.ts'
import { change, param } from '../route.ts'
import { type Deciding, closeDecision, draftOf, setDraft } from './open.ts'
import { firstOf, Preview, usePreview } from './preview.tsx'
import { Result } from './result.tsx'
import { type Live, LiveInstead, expecting, useReviewed } from './reviewed.tsx'
import { type Attempt, sendDecision } from './send.ts'
import { useTargets } from './targets.ts'
import { useWindow } from './window.ts'

/** What will be replaced by what, what the policy says of it now, and the reason that goes on record. */
export function DecisionForm({
  what,
  entry,
  release,
}: {
  what: Deciding
  entry: BoardEntry
  release: string
}) {
  const { agent_id: agent, environment } = entry
  const { live: promoted = null, review } = useReviewed(agent, environment)
  const [instead, setInstead] = useState<Live | undefined>(undefined)
  const needsApproval = useWorkspace().data?.promotion_requires_approval === true && what === 'promote'
  const targets = useTargets(what, { agent_id: agent, environment, promoted })
  const target = release === '' ? (targets.find(({ isLikely }) => isLikely)?.release_id ?? '') : release
  // What was shown stays what is sent, also when the board has changed meanwhile.
  useEffect(() => {
    if (release !== target) change({ decide_release: target }, { replace: true })
  }, [release, target])
  const window = useWindow(param('decide_window'), {
    baseline: promoted?.release_id ?? '',
    candidate: target,
    environment,
  })
  const draft = `${what} ${agent} ${environment}`
  const reason = draftOf(draft)
  const [done, setDone] = useState<Attempt | undefined>(undefined)
  const attempting = useAttempt()
  const preview = usePreview({
    what,
    needsApproval,
    target,
    environment,
    window,
    baseline: promoted?.release_id ?? '',
  })

  async function submit(): Promise<void> {
    const path = needsApproval ? 'v1/promote/request' : `v1/${what}`
    const replaced = { ...expecting(promoted), ...firstOf(what, promoted?.release_id ?? '') }
    // Sent again it has to be the same, also when what is live has changed meanwhile.
    change({ decide_window: window }, { replace: true })
    const sent = await sendDecision(path, { release_id: target, environment, window, reason, ...replaced })
    if (sent.kind === 'stale') return setInstead(sent.live)
    setDone(sent)
    setDraft(draft, '')
  }

  function reviewAgain(live: Live): void {
    setInstead(undefined)
    review(live)
  }

  if (done !== undefined) return <Result attempt={done} what={what} onDone={closeDecision} />
  const isBlocked = preview.verdict?.passed === false
  return (
    <ChangeForm
      label={labelOf(what, needsApproval, isBlocked)}
      back="Cancel"
      isReady={target !== '' && window !== '' && reason.trim() !== ''}
      isDanger={what === 'rollback' || isBlocked}
      hint={isBlocked && <p class="hint">{needsApproval ? REQUEST_BLOCKED : BLOCKED}</p>}
      attempting={attempting}
      onBack={closeDecision}
      onSubmit={() => void attempting.attempt(submit)}
    >
      <Swap place={entry} live={promoted} target={target} version={versionOf(targets, target)} />
      <div class="fields">
        <Select
          label={what === 'rollback' ? 'Back to' : 'Release'}
          value={target}
          onChange={chosen => change({ decide_release: chosen }, { replace: true })}
          options={targets.map(({ release_id, label }) => [release_id, label] as const)}
        />
        <WindowField value={window} onChange={text => change({ decide_window: text }, { replace: true })} />
      </div>
      {target !== '' && window !== '' && (
        <Preview preview={preview} agent={agent} environment={environment} window={window} />
      )}
      <LiveInstead live={instead ?? preview.instead} onReview={reviewAgain} />
      <Reason
        label="Reason"
        hint="Kept in the audit trail, word for word."
        value={reason}
        onChange={text => setDraft(draft, text)}
      />
    </ChangeForm>
  )
}

const BLOCKED = 'The policy blocks this now. An attempt goes on record and moves nothing.'
const REQUEST_BLOCKED = 'The policy blocks this now: no request would be made, and nothing goes on record.'

function labelOf(what: Deciding, needsApproval: boolean, isBlocked: boolean): string {
  if (needsApproval) return 'Request approval'
  if (isBlocked) return 'Attempt it anyway'
  return what === 'promote' ? 'Promote' : 'Roll back now'
}

function versionOf(targets: readonly { release_id: string; version: string }[], id: string): string {
  return targets.find(target => target.release_id === id)?.version ?? ''
}

function Swap({
  place,
  live,
  target,
  version,
}: {
  place: BoardEntry
  live: Live
  target: string
  version: string
}) {
  return (
    <div class="swap">
      <p>
        <PlaceInWords place={place} />
      </p>
      <dl>
        <div>
          <dt>Replaces</dt>
          <dd>
            {live === null ? (
              'nothing: this is the first promotion here'
            ) : (
              <>
                <Words>{live.version ?? ''}</Words> <Id value={live.release_id} />
                {live.promoted_at !== null && (
                  <span class="faint">
                    {' '}
                    since <Time at={live.promoted_at} />
                  </span>
                )}
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>With</dt>
          <dd>
            {target === '' ? (
              'choose a release'
            ) : (
              <>
                {version !== '' && <Words>{version}</Words>} <Id value={target} />
              </>
            )}
          </dd>
        </div>
      </dl>
    </div>
  )
}
