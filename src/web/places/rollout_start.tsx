import { useEffect, useState } from 'preact/hooks'
import { hoursText, shareText } from '../../base/text.ts'
import type { RolloutRequest, StartedRollout } from '../../features/rollouts/models.ts'
import { ROLLOUT_UNITS, type RolloutUnit } from '../../models/names.ts'
import { whyNoChanges } from '../access.ts'
import { ApiError } from '../api.ts'
import { Changes, Row } from '../ui/changes.tsx'
import { ChangeForm, Dialog } from '../ui/dialog.tsx'
import { Choice, Reason, Text } from '../ui/field.tsx'
import { PlaceInWords } from '../ui/place.tsx'
import { Loaded } from '../ui/states.tsx'
import { Words } from '../ui/text.tsx'
import { closeDecision, draftOf, setDraft } from './open.ts'
import { type Live, LiveInstead, expecting, useReviewed } from './reviewed.tsx'
import { sendOnce } from './send.ts'
import { count } from '../format.ts'
import { type Known, useRead } from '../query.ts'
import { useBoard, useNames, useWorkspace } from '../reads.ts'
import { param, visit } from '../route.ts'
import { DEFAULT_MAX_DURATION, DEFAULT_STEPS } from '../../features/rollouts/rules_steps.ts'
import { placeLink } from './comparison.ts'
import { limitsText } from './guard.tsx'
import { Whose } from './whose.tsx'

export function StartDialog() {
  return (
    <Dialog
      title={
        <Whose
          what="Start a rollout"
          place={{ agent_id: param('decide_agent'), environment: param('decide_env') }}
          from=""
          to=""
        />
      }
      onClose={closeDecision}
    >
      <Loaded known={useBoard()}>{() => <StartForm />}</Loaded>
    </Dialog>
  )
}

const FIELDS = ['by', 'steps', 'max_duration', 'hold', 'hold_for'] as const
type FieldName = (typeof FIELDS)[number]

/** Which field the refusals of the service are about that name none. */
const ABOUT: readonly (readonly [FieldName, RegExp])[] = [
  ['steps', /^Invalid steps|^A rollout by tenant begins/],
  ['hold', /^Invalid hold/],
  ['max_duration', /^Invalid max_duration|^This rollout would not complete/],
]

function fieldOf({ message, body }: ApiError): FieldName | undefined {
  const detail = (body as { detail?: unknown } | undefined)?.detail
  const named = Array.isArray(detail) ? (detail as { loc: unknown[] }[])[0]?.loc.at(-1) : undefined
  return FIELDS.find(name => name === named) ?? ABOUT.find(([, words]) => words.test(message))?.[0]
}

const FIRST = {
  by: 'session',
  steps: DEFAULT_STEPS,
  max_duration: DEFAULT_MAX_DURATION,
  hold: '',
  hold_for: '',
}
type Typed = Record<keyof typeof FIRST, string>

const BY = ROLLOUT_UNITS.map(unit => [unit, unit] as const satisfies readonly [RolloutUnit, string])

function StartForm() {
  const [agent, environment, release_id] = [
    param('decide_agent'),
    param('decide_env'),
    param('decide_release'),
  ]
  const { live = null, review } = useReviewed(agent, environment)
  const nameOf = useNames()
  const needsApproval = useWorkspace().data?.promotion_requires_approval === true
  const [typed, setTyped] = useState<Typed>(FIRST)
  const [instead, setInstead] = useState<Live | undefined>(undefined)
  const [refused, setRefused] = useState<ApiError | undefined>(undefined)
  const draft = `rollout ${agent} ${environment}`
  const reason = draftOf(draft)
  const filled = Object.fromEntries(Object.entries(typed).filter(([, value]) => value.trim() !== ''))
  const plan = usePlan({ release_id, environment, ...filled, ...expecting(live) })
  const problem = refused ?? plan.error
  const field = problem && fieldOf(problem)
  const problemOf = (of: FieldName): string => (of === field ? problem!.message : '')

  async function submit(): Promise<void> {
    setRefused(undefined)
    const path = needsApproval ? 'v1/rollouts/request' : 'v1/rollouts'
    try {
      const body = { release_id, environment, ...filled, reason, ...expecting(live) }
      const sent = await sendOnce<StartedRollout | RolloutRequest>(path, body)
      if (sent.kind === 'stale') return setInstead(sent.live)
      setDraft(draft, '')
      const place = { agent_id: agent, environment }
      visit(
        'request_id' in sent.answer
          ? placeLink(place, { request: sent.answer.request_id })
          : placeLink(place, { rollout: sent.answer.rollout_id }),
      )
    } catch (error) {
      const about = error instanceof ApiError ? fieldOf(error) : undefined
      if (about === undefined) throw error
      setRefused(error as ApiError)
      document.querySelector<HTMLElement>(`dialog [name=${about}]`)?.focus()
    }
  }

  const text = (name: keyof Typed, label: string, hint?: string) => (
    <Text
      name={name}
      size={6}
      label={label}
      hint={hint}
      kind={hint === undefined ? 'field' : 'field wide'}
      value={typed[name]}
      problem={problemOf(name)}
      onChange={value => {
        setRefused(undefined)
        setTyped({ ...typed, [name]: value })
      }}
    />
  )
  return (
    <ChangeForm
      label={needsApproval ? 'Request approval' : 'Start the rollout'}
      isReady={release_id !== '' && live !== null && reason.trim() !== ''}
      onBack={closeDecision}
      send={submit}
    >
      <p>
        <PlaceInWords place={{ agent_id: agent, environment }} />: <Words>{nameOf(release_id)}</Words> is
        compared with {live === null ? 'nothing: none is live' : <Words>{nameOf(live.release_id)}</Words>}.
      </p>
      <Reason
        hint="Kept in the audit trail; the promotion at the end has it too."
        value={reason}
        onChange={value => setDraft(draft, value)}
      />
      {text('steps', 'Steps', 'Shares that rise, and the least time each takes.')}
      <div class="fields">
        <Choice
          label="Split by"
          value={typed.by as RolloutUnit}
          options={BY}
          onChange={by => setTyped({ ...typed, by })}
        />
        {text('max_duration', 'Expires after')}
        {text('hold', 'Hold back, such as 5%')}
        {text('hold_for', 'For, such as 7d')}
      </div>
      <Plan plan={plan} isElsewhere={field !== undefined} />
      <LiveInstead
        live={instead}
        onReview={now => {
          setInstead(undefined)
          review(now)
        }}
      />
    </ChangeForm>
  )
}

/** How long nothing is typed before a dry run, ms. */
const PAUSE_MS = 400

/** What the service says of a rollout that would begin now: a dry run, which writes nothing. */
function usePlan(fields: Readonly<Record<string, unknown>>): Known<StartedRollout> {
  const now = JSON.stringify({ ...fields, reason: 'dry run', dry_run: true })
  const [settled, setSettled] = useState(now)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(now), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [now])
  const { release_id, expected_baseline_release_id: live } = fields
  const isWhole = release_id !== '' && live !== null && whyNoChanges.value === undefined
  const body: unknown = JSON.parse(settled)
  return useRead<StartedRollout>(isWhole ? { method: 'POST', path: 'v1/rollouts', body } : null, 30_000)
}

/** How long each step takes at the present traffic. */
function Plan({
  plan: { data, error, loading },
  isElsewhere,
}: {
  plan: Known<StartedRollout>
  isElsewhere: boolean
}) {
  if (!loading && data === undefined && error === undefined) return null
  if (error !== undefined) {
    return isElsewhere ? null : (
      <p class="problem" role="alert">
        <bdi>{error.message}</bdi>
      </p>
    )
  }
  return (
    <div class="preview" aria-live="polite">
      {data !== undefined && (
        <>
          <p>
            Completes after {hoursText(data.expected_hours)} at {count(data.runs_per_hour)} runs an hour, if
            the policy lets it.
          </p>
          <Changes what="Share" sides={['At least', 'At the present traffic']}>
            {data.steps.map(({ share, for: time, expected_hours }) => (
              <Row key={share} name={shareText(share)} cells={[time, hoursText(expected_hours)]} />
            ))}
          </Changes>
          <p class="hint">Aborts where a rise is proven beyond {limitsText(data.limits)}.</p>
        </>
      )}
    </div>
  )
}
