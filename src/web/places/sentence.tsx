import { useId } from 'preact/hooks'
import type { DiffReport } from '../../models/answers/diff.ts'
import type { PlaceAnswer } from '../../models/deploys/place.ts'
import { CopyButton } from '../ui/text.tsx'
import { count, counted } from '../format.ts'
import { useReleases } from '../reads.ts'
import { addressWith, change, hereWith } from '../route.ts'
import type { Comparison } from './comparison.ts'

const WINDOWS = ['1h', '6h', '24h', '3d', '7d', '14d', '30d']

/** What is compared, in a sentence whose words can be changed. */
export function Sentence({
  place: { agent_id, candidate: next, live },
  comparison,
  report,
  nameOf,
}: {
  place: PlaceAnswer
  comparison: Comparison
  report: DiffReport | undefined
  nameOf: (releaseId: string) => string
}) {
  const { candidate, baseline, window, tenant, task, isOwn } = comparison
  const releases = useReleases().data?.releases.filter(release => release.agent_id === agent_id) ?? []
  const choices = releases.map(({ release_id, version }) => [release_id, version] as const)
  const windows = [...new Set([...WINDOWS, window])].map(text => [text, text] as const)
  return (
    <p class="comparing">
      <Word
        label="Candidate"
        value={candidate}
        text={nameOf(candidate)}
        options={choices}
        onChange={id => change({ candidate: id === next?.release_id ? null : id })}
      />{' '}
      against{' '}
      <Word
        label="Baseline"
        value={baseline}
        text={nameOf(baseline)}
        options={choices}
        onChange={id => change({ baseline: id === live?.release_id && next !== null ? null : id })}
      />{' '}
      over{' '}
      <Word
        label="Window"
        value={window}
        text={window}
        options={windows}
        onChange={text => change({ window: text })}
      />
      {tenant && <Only kind="tenant" name={tenant} />}
      {task && <Only kind="task" name={task} />}
      {report !== undefined && (
        <span class="figures">
          {' · '}
          {count(report.samples.candidate_runs)} against {counted(report.samples.baseline_runs, 'run')}{' '}
          <CopyButton
            text={addressWith({ candidate, baseline, window, until: report.until })}
            what="a link to this moment"
          />
        </span>
      )}
      {!isOwn && (
        <>
          {' · '}
          <a href={hereWith({ candidate: null, baseline: null, tenant: null, task: null, until: null })}>
            Back to what is next
          </a>
        </>
      )}
    </p>
  )
}

function Only({ kind, name }: { kind: 'tenant' | 'task'; name: string }) {
  return (
    <>
      , only {kind} <bdi>{name}</bdi>{' '}
      <a href={hereWith({ [kind]: null })} aria-label={`All ${kind}s`}>
        ✕
      </a>
    </>
  )
}

/** A word of the sentence that opens the others it could be. */
function Word({
  label,
  value,
  text,
  options,
  onChange,
}: {
  label: string
  value: string
  text: string
  options: readonly (readonly [value: string, text: string])[]
  onChange: (value: string) => void
}) {
  const id = useId()
  const isKnown = options.some(([option]) => option === value)
  return (
    <>
      <label class="hidden" for={id}>
        {label}
      </label>
      <select id={id} class="word" value={value} onChange={event => onChange(event.currentTarget.value)}>
        {!isKnown && <option value={value}>{text}</option>}
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    </>
  )
}
