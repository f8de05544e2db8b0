import { Dialog, ChangeForm } from '../ui/dialog.tsx'
import { Loaded } from '../ui/states.tsx'
import { useBoard, usePlaceAnswer, useReach, useReleases, useWorkspace } from '../reads.ts'
import { USUAL_WINDOW, likelyWindow } from '../../rules/window.ts'
import { param, change } from '../route.ts'
import { type Deciding, closeDecision, draftOf, setDraft } from './open.ts'
import { useEffect, useState } from 'preact/hooks'
import { Check, Reason, Select, WindowField } from '../ui/field.tsx'
import { Preview, type Previewed, firstOf, usePreview } from './preview.tsx'
import { Result } from './result.tsx'
import { type Live, LiveInstead, expecting, useReviewed } from './reviewed.tsx'
import { type Attempt, sendDecision } from './send.ts'
import { Whose } from './whose.tsx'
import type { PlaceAnswer } from '../../models/deploys/place.ts'
import { judged } from '../../rules/verdict_words.ts'
import { ago } from '../format.ts'

const TITLES: Readonly<Record<Deciding, string>> = {
  promote: 'Promote',
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
  const reviewed = useReviewed(agent, environment)
  return (
    <Dialog
      title={
        <Whose
          what={TITLES[what]}
          place={{ agent_id: agent, environment }}
          from={reviewed.live?.release_id ?? ''}
          to={param('decide_release')}
        />
      }
      onClose={closeDecision}
      {...(what === 'rollback' ? { tone: 'danger' as const } : {})}
    >
      <Loaded known={board}>
        {() => (
          <DecisionForm
            key={JSON.stringify([agent, environment])}
            what={what}
            agent={agent}
            environment={environment}
            reviewed={reviewed}
          />
        )}
      </Loaded>
    </Dialog>
  )
}

/** What will be replaced by what, what the policy says of it now, and the reason that goes on record. */
function DecisionForm({
  what,
  agent,
  environment,
  reviewed,
}: {
  what: Deciding
  agent: string
  environment: string
  reviewed: ReturnType<typeof useReviewed>
}) {
  const release = param('decide_release')
  const { live: promoted = null, instead: moved, review } = reviewed
  const [instead, setInstead] = useState<Live | undefined>(undefined)
  const [isForced, setForced] = useState(false)
  const needsApproval = useWorkspace().data?.promotion_requires_approval === true && what === 'promote'
  const next = usePlaceAnswer(agent, environment).data
  const likely = what === 'rollback' ? next?.live?.before : next?.candidate?.release_id
  const target = release || (likely ?? '')
  const others = useOthers(agent, environment, promoted, what === 'rollback' ? next?.live : undefined)
  // What was shown stays what is sent, also when the board has changed meanwhile.
  useEffect(() => {
    if (release !== target) change({ decide_release: target }, { replace: true })
  }, [release, target])
  // What is next is judged over the window that the service judged it over.
  const judgedOver = what === 'promote' && next?.candidate?.release_id === target ? next.window : null
  const window = useWindow(param('decide_window') || (judgedOver ?? ''), {
    baseline: promoted?.release_id ?? '',
    candidate: target,
    environment,
  })
  const draft = `${what} ${agent} ${environment}`
  const reason = draftOf(draft)
  const [done, setDone] = useState<Attempt | undefined>(undefined)
  const preview = usePreview({
    what,
    needsApproval,
    target,
    environment,
    window,
    baseline: promoted?.release_id ?? '',
  })

  const isBlocked = preview.verdict?.passed === false
  const canForce = isBlocked && what === 'rollback' && next?.allowed.force_rollback === true

  async function submit(): Promise<void> {
    const path = needsApproval ? 'v1/promote/request' : `v1/${what}`
    const replaced = { ...expecting(promoted), ...firstOf(what, promoted?.release_id ?? '') }
    const forced = isForced && canForce ? { force: true } : {}
    // Sent again it has to be the same, also when what is live has changed meanwhile.
    change({ decide_window: window }, { replace: true })
    const body = { release_id: target, environment, window, reason, ...replaced, ...forced }
    const sent = await sendDecision(path, body)
    if (sent.kind === 'stale') return setInstead(sent.live)
    setDone(sent)
    setDraft(draft, '')
  }

  function reviewAgain(live: Live): void {
    setInstead(undefined)
    review(live)
  }

  if (done !== undefined) {
    const comparing = { baseline: promoted?.release_id ?? '', candidate: target, environment, window }
    return <Result attempt={done} what={what} agent={agent} comparing={comparing} onDone={closeDecision} />
  }
  return (
    <ChangeForm
      label={canForce && isForced ? 'Force the rollback' : labelOf(what, needsApproval, preview)}
      isReady={target !== '' && window !== '' && reason.trim() !== ''}
      isDanger={what === 'rollback' || isBlocked}
      hint={
        isBlocked &&
        !(canForce && isForced) && <p class="hint">{needsApproval ? REQUEST_BLOCKED : BLOCKED}</p>
      }
      onBack={closeDecision}
      send={submit}
    >
      {promoted === null && <p>This is the first promotion here.</p>}
      <Select
        label={what === 'rollback' ? 'Back to' : 'Release'}
        value={target}
        onChange={decide_release => change({ decide_release }, { replace: true })}
        options={others}
      />
      {target !== '' && window !== '' && (
        <Preview preview={preview} agent={agent} environment={environment} window={window} />
      )}
      {canForce && (
        <Check checked={isForced} onChange={setForced}>
          Roll back without asking the policy. It goes on record as forced.
        </Check>
      )}
      <details class="raw">
        <summary>Judged over {window}</summary>
        <WindowField value={window} onChange={text => change({ decide_window: text }, { replace: true })} />
      </details>
      <LiveInstead live={moved ?? instead ?? preview.instead} onReview={reviewAgain} />
      <Reason value={reason} onChange={text => setDraft(draft, text)} />
    </ChangeForm>
  )
}

const BLOCKED = 'This is blocked now. An attempt goes on record and moves nothing.'
const REQUEST_BLOCKED = 'This is blocked now: no request would be made, and nothing goes on record.'

function labelOf(what: Deciding, needsApproval: boolean, { verdict, diff }: Previewed): string {
  if (needsApproval) return 'Request approval'
  if (verdict?.passed === false) return 'Attempt it anyway'
  if (what === 'rollback') return 'Roll back now'
  const but = verdict === undefined ? '' : judged(verdict, diff.data?.statistics).but
  return but === '' ? 'Promote' : `Promote although ${but}`
}

/** The window to judge by: what the address says, else the likely one. Empty until it is known. */
function useWindow(
  chosen: string,
  sides: { readonly baseline: string; readonly candidate: string; readonly environment: string },
): string {
  const reachSides = chosen === '' ? sides : { ...sides, baseline: '' }
  const reach = useReach({ ...reachSides, window: USUAL_WINDOW })
  const isNeeded = chosen === '' && sides.baseline !== '' && sides.candidate !== ''
  const best = likelyWindow(reach.data)
  const isKnown = !isNeeded || reach.data !== undefined || reach.error !== undefined
  // What was chosen stays, also while runs come in.
  useEffect(() => {
    if (isNeeded && isKnown && best !== USUAL_WINDOW) change({ decide_window: best }, { replace: true })
  }, [isNeeded, isKnown, best])
  if (chosen !== '') return chosen
  return isKnown ? best : ''
}

/** The releases of an agent but the live one, newest first, those that are meant for the environment before others. */
function useOthers(agent: string, environment: string, live: Live, here: PlaceAnswer['live'] | undefined) {
  const all = useReleases().data?.releases ?? []
  const others = all.filter(one => one.agent_id === agent && one.release_id !== live?.release_id)
  const isMeant = (one: (typeof others)[number]): boolean => one.environment === environment
  const rank = (one: (typeof others)[number]): number =>
    one.release_id === here?.before ? 0 : isMeant(one) ? 1 : 2
  const noteOf = (one: (typeof others)[number]): string => {
    if (one.release_id === here?.before) return 'live before'
    const earlier = here?.earlier.find(({ release_id }) => release_id === one.release_id)
    if (earlier !== undefined) return earlier.rolled_back ? 'rolled back here' : 'was live here'
    if (here != null) return 'never live here'
    return `registered ${isMeant(one) ? ago(Date.parse(one.created_at), Date.now()) : `for ${one.environment}`}`
  }
  return others
    .toSorted((a, b) => rank(a) - rank(b))
    .map(one => [one.release_id, `${one.version} · ${one.release_id} · ${noteOf(one)}`] as const)
}
