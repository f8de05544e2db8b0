import type { BoardEntry } from '../../models/answers/board.ts'
import { Dialog, ChangeForm } from '../ui/dialog.tsx'
import { Loaded } from '../ui/states.tsx'
import { useActions, useBoard, usePlaceAnswer, useReach, useReleases, useWorkspace } from '../reads.ts'
import { USUAL_WINDOW, likelyWindow } from '../../rules/window.ts'
import { param, change } from '../route.ts'
import { type Deciding, closeDecision, draftOf, setDraft } from './open.ts'
import { useEffect, useState } from 'preact/hooks'
import { useAttempt } from '../attempt.ts'
import { Choice, Reason, Select, WindowField } from '../ui/field.tsx'
import { Preview, type Previewed, firstOf, usePreview } from './preview.tsx'
import { Result } from './result.tsx'
import { type Live, LiveInstead, expecting, useReviewed } from './reviewed.tsx'
import { type Attempt, sendDecision } from './send.ts'
import { Whose } from './whose.tsx'
import type { ActionRecord } from '../../models/answers/action.ts'
import { hasMoved } from '../../rules/evidence.ts'
import type { PlaceEntry } from '../../rules/place.ts'
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
        {({ board: entries }) => (
          <DecisionForm
            key={JSON.stringify([agent, environment])}
            what={what}
            entry={placeOf(entries, agent, environment)}
            release={param('decide_release')}
            reviewed={reviewed}
          />
        )}
      </Loaded>
    </Dialog>
  )
}

/** A release may be promoted to an environment that it was not registered with. */
function placeOf(entries: readonly BoardEntry[], agent_id: string, environment: string): PlaceEntry {
  const found = entries.find(entry => entry.agent_id === agent_id && entry.environment === environment)
  const nothing = { promoted: null, last_action: null, newest_release: null, pending_requests: 0 }
  return found ?? { agent_id, environment, ...nothing }
}

/** What will be replaced by what, what the policy says of it now, and the reason that goes on record. */
function DecisionForm({
  what,
  entry,
  release,
  reviewed,
}: {
  what: Deciding
  entry: PlaceEntry
  release: string
  reviewed: ReturnType<typeof useReviewed>
}) {
  const { agent_id: agent, environment } = entry
  const { live: promoted = null, instead: moved, review } = reviewed
  const [instead, setInstead] = useState<Live | undefined>(undefined)
  const [isForced, setForced] = useState(false)
  const needsApproval = useWorkspace().data?.promotion_requires_approval === true && what === 'promote'
  const targets = useTargets(what, { agent_id: agent, environment, promoted })
  const next = usePlaceAnswer(agent, environment).data
  const target = release === '' ? (targets.find(({ isLikely }) => isLikely)?.release_id ?? '') : release
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
  const attempting = useAttempt()
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
      back="Cancel"
      isReady={target !== '' && window !== '' && reason.trim() !== ''}
      isDanger={what === 'rollback' || isBlocked}
      hint={
        isBlocked &&
        !(canForce && isForced) && <p class="hint">{needsApproval ? REQUEST_BLOCKED : BLOCKED}</p>
      }
      attempting={attempting}
      onBack={closeDecision}
      onSubmit={() => void attempting.attempt(submit)}
    >
      {promoted === null && <p>This is the first promotion here.</p>}
      <Targets what={what} targets={targets} value={target} />
      {target !== '' && window !== '' && (
        <Preview preview={preview} agent={agent} environment={environment} window={window} />
      )}
      {canForce && (
        <label class="check">
          <input
            type="checkbox"
            checked={isForced}
            onChange={event => setForced(event.currentTarget.checked)}
          />
          Roll back without asking the policy. It goes on record as forced.
        </label>
      )}
      <details class="raw">
        <summary>Judged over {window}</summary>
        <WindowField value={window} onChange={text => change({ decide_window: text }, { replace: true })} />
      </details>
      <LiveInstead live={moved ?? instead ?? preview.instead} onReview={reviewAgain} />
      <Reason
        label="Reason"
        hint="Recorded in the audit log as written."
        value={reason}
        onChange={text => setDraft(draft, text)}
      />
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

/** Most releases to choose from at once; others are in a list. */
const MOST_LISTED = 3

/** What to roll back to: the likeliest as buttons, all in a list. What to promote is chosen from the list alone. */
function Targets({ what, targets, value }: { what: Deciding; targets: readonly Target[]; value: string }) {
  const choose = (decide_release: string): void => change({ decide_release }, { replace: true })
  const likely = targets.filter(({ isLikely }) => isLikely).slice(0, MOST_LISTED)
  return (
    <div class="fields">
      {what === 'rollback' && likely.length > 1 && (
        <Choice
          label="To"
          value={value}
          options={likely.map(({ release_id, version }) => [release_id, version] as const)}
          onChange={choose}
        />
      )}
      <Select
        label={what === 'rollback' ? 'Back to' : 'Release'}
        value={value}
        onChange={choose}
        options={targets.map(({ release_id, label }) => [release_id, label] as const)}
      />
    </div>
  )
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

interface Target {
  readonly release_id: string
  readonly version: string
  readonly label: string
  /** Whether it may be preselected: it is meant for this environment, or was live there. */
  readonly isLikely: boolean
}

/** Releases to choose from, the likeliest first: to roll back, those that were live here and did well, newest first. */
function useTargets(
  what: Deciding,
  {
    agent_id,
    environment,
    promoted,
  }: { readonly agent_id: string; readonly environment: string; readonly promoted: Live },
): Target[] {
  const releases = useReleases().data?.releases.filter(release => release.agent_id === agent_id) ?? []
  const actions = useActions(what === 'rollback' ? { agent: agent_id, env: environment, limit: 500 } : null)
    .data?.actions
  const others = releases.filter(release => release.release_id !== promoted?.release_id)
  const toTarget = (
    { release_id, version, created_at }: (typeof releases)[number],
    note: string,
    isLikely: boolean,
  ): Target => ({
    release_id,
    version,
    isLikely,
    label: `${version} · ${release_id} · ${note || `registered ${ago(Date.parse(created_at), Date.now())}`}`,
  })
  if (what === 'promote') {
    const meant = others.filter(release => release.environment === environment)
    return [
      ...meant.map(release => toTarget(release, '', true)),
      ...others
        .filter(release => !meant.includes(release))
        .map(release => toTarget(release, `registered for ${release.environment}`, false)),
    ]
  }
  // Until the history is there, nothing may be preselected that was never live.
  if (actions === undefined) return []
  const before = fatesOf(actions)
  const known = [...before.keys()]
    .map(id => others.find(release => release.release_id === id))
    .filter(release => release !== undefined)
  const isBad = ({ release_id }: { release_id: string }): boolean => before.get(release_id) === 'rolled back'
  return [
    ...known.filter(release => !isBad(release)).map(release => toTarget(release, 'live here before', true)),
    ...known.filter(isBad).map(release => toTarget(release, 'rolled back here', false)),
    ...others
      .filter(release => !known.includes(release))
      .map(release => toTarget(release, 'never live here', false)),
  ]
}

/** What became last of each release that was live, newest first. */
function fatesOf(actions: readonly ActionRecord[]): ReadonlyMap<string, 'rolled back' | 'live'> {
  const fates = new Map<string, 'rolled back' | 'live'>()
  for (const { action, release_id, baseline_release_id } of actions.filter(hasMoved)) {
    if (!fates.has(release_id)) fates.set(release_id, 'live')
    if (baseline_release_id !== null && !fates.has(baseline_release_id)) {
      fates.set(baseline_release_id, action === 'rollback' ? 'rolled back' : 'live')
    }
  }
  return fates
}
