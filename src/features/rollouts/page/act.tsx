import { useState } from 'preact/hooks'
import type { Rollout } from '../../../models/answers/rollout.ts'
import { whyNoChanges } from '../../../web/access.ts'
import { Note } from '../../../web/components/note.tsx'
import { Words } from '../../../web/components/text.tsx'
import { sendOnce } from '../../../web/decide/send.ts'
import { isOpen, rolloutSentence } from '../rules_sentence.ts'
import { ReasonDialog } from './reason_dialog.tsx'
import { useNames } from './reads.ts'

export type Verb = 'pause' | 'resume' | 'abort'

/** What can be done to a rollout now. */
export function Acts({ rollout, onAct }: { rollout: Rollout; onAct: (verb: Verb) => void }) {
  const { state, share } = rollout
  const button = (verb: Verb, words: string, kind = '') => (
    <button type="button" class={`button ${kind}`} title={whyNoChanges.value} onClick={() => onAct(verb)}>
      {words}
    </button>
  )
  return (
    <>
      {isOpen(rollout) && (state === 'paused' ? button('resume', 'Resume…') : button('pause', 'Pause…'))}
      {isOpen(rollout) && button('abort', 'Abort…', 'danger')}
      {state === 'completed' && share !== null && button('abort', 'End the hold…', 'danger')}
    </>
  )
}

/** Asks why, and does it. `onDone` is called when it was done. */
export function ActDialog({
  verb,
  rollout,
  onClose,
  onDone,
}: {
  verb: Verb
  rollout: Rollout
  onClose: () => void
  onDone: () => void
}) {
  const name = useNames()
  // What the reader saw when they began: what became of it meanwhile is for them to see first.
  const [seen] = useState(rollout)
  const isStale = seen.state !== rollout.state || seen.because !== rollout.because
  const isHold = seen.state === 'completed'
  const effects: Readonly<Record<Verb, string>> = {
    pause: 'The split stays, and nothing advances. Proven harm still aborts it.',
    resume: 'It goes on with its step.',
    abort: isHold
      ? 'All get what is live within a minute.'
      : `All get ${name(rollout.baseline_release_id)} within a minute. It can't be resumed.`,
  }
  async function send(reason: string): Promise<void> {
    await sendOnce(`v1/rollouts/${encodeURIComponent(rollout.rollout_id)}/${verb}`, { reason })
    onDone()
  }
  return (
    <ReasonDialog
      label={isHold ? 'End the hold' : `${verb[0]!.toUpperCase()}${verb.slice(1)} the rollout`}
      isDanger={verb === 'abort'}
      isReady={!isStale}
      send={send}
      onClose={onClose}
    >
      <p>
        <Words>{effects[verb]}</Words>
      </p>
      {isStale && (
        <Note tone="bad">
          It has changed since you looked: <Words>{rolloutSentence(rollout, name, Date.now())}</Words>
        </Note>
      )}
    </ReasonDialog>
  )
}
