import type { DiffReport } from '../../models/answers/diff.ts'
import type { PlaceAnswer } from '../../models/deploys/place.ts'
import { Select } from '../ui/field.tsx'
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
  const known = new Map(releases.map(({ release_id, version }) => [release_id, version]))
  const choices = [...new Map([...known, ...[candidate, baseline].map(id => [id, nameOf(id)] as const)])]
  const windows = [...new Set([...WINDOWS, window])]
  return (
    <p class="comparing">
      <Select
        kind="in-words"
        label="Candidate"
        value={candidate}
        options={choices}
        onChange={id => change({ candidate: id === next?.release_id ? null : id })}
      />{' '}
      against{' '}
      <Select
        kind="in-words"
        label="Baseline"
        value={baseline}
        options={choices}
        onChange={id => change({ baseline: id === live?.release_id && next !== null ? null : id })}
      />{' '}
      over{' '}
      <Select
        kind="in-words"
        label="Window"
        value={window}
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
