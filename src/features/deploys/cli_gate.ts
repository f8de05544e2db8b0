import { ServiceError } from '../../base/errors.ts'
import type { Gate } from '../../models/deploys/gate.ts'
import { caseLines } from '../../rules/case_words.ts'
import { ENOUGH_FOR_HIGH, missingText } from '../../rules/missing_evidence.ts'
import { keptLimits } from '../../rules/limits.ts'
import { confidenceText } from '../../rules/verdict_words.ts'
import { code, gateMarkdown } from '../../rules/report/report.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import type { Io } from '../../cli/terminal/io.ts'
import { count, pretty, safe } from '../../cli/terminal/text.ts'
import { EXIT } from '../../cli/release/exit_codes.ts'
import { pageUrl } from '../../cli/release/markdown.ts'
import { powerLines } from '../../cli/release/power_text.ts'
import { resultText } from '../../cli/release/result_text.ts'
import { releaseIds } from '../../cli/release/reference.ts'
import { fetchRelease } from '../../cli/release/release.ts'
import { noteOtherPlaces, noteWhereRunsAre } from '../../cli/runs/elsewhere.ts'

/** Prints what the gate says, or in the same format why it says nothing: who reads it gets a document in any case. */
export async function gate(invocation: Invocation): Promise<number> {
  const { options, io } = invocation
  try {
    return await answered(invocation)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const { message: detail } = error
    const format = options.text('output')
    if (format === 'json') io.out(pretty({ verdict: 'error', detail }))
    if (format === 'markdown') io.out(`**The gate could not be asked**: ${code(detail)}\n`)
    throw error
  }
}

async function answered({ args, options, io, api }: Invocation): Promise<number> {
  const opened = await api()
  const given = options.text('baseline')
  const typed = given === undefined ? args : [...args, given]
  const [id, baseline] = await releaseIds(typed, opened, io, options.required('env'))
  const { agent_id } = await fetchRelease(opened, id!)
  const answer = await callJson(opened, 'GET /v1/gate/{agent_id}/{environment}', {
    path: { agent_id, environment: options.required('env') },
    query: { release_id: id, window: options.required('window'), baseline_release_id: baseline },
  })
  const flags = baseline === undefined ? [] : [`--baseline=${baseline}`]
  const formats: Readonly<Record<string, () => string>> = {
    json: () => pretty(answer),
    markdown: () => gateMarkdown(answer, flags, pageUrl(opened)),
  }
  const format = formats[options.text('output') ?? '']
  io.out(format === undefined ? gateText(answer, io) : format())
  await noteRunsElsewhere(answer, opened, io)
  return EXIT[answer.verdict]
}

/** Says of a side without runs where it has some. */
async function noteRunsElsewhere(answer: Gate, api: Api, io: Io): Promise<void> {
  const { release_id, baseline_release_id, environment, window, samples } = answer
  if (samples === null) return noteOtherPlaces([release_id], environment, api, io)
  const empty = new Set<string>()
  if (samples.baseline_runs === 0) empty.add(baseline_release_id!)
  if (samples.candidate_runs === 0) empty.add(release_id)
  for (const id of empty) await noteWhereRunsAre(id, { environment, window, isNarrowed: false }, api, io)
}

function gateText(answer: Gate, io: Io): string {
  const { result, release_id, agent_id, environment, baseline_release_id, samples, confidence } = answer
  const place = `${safe(agent_id)} in ${safe(environment)}`
  const isUnsure = result === 'not_yet'
  const against =
    baseline_release_id === null
      ? 'nothing is promoted'
      : `against ${safe(baseline_release_id)}, ${count(samples!.baseline_runs)} and ${count(samples!.candidate_runs)} ` +
        `runs over ${safe(answer.window)}${isUnsure ? '' : `, ${confidenceText(confidence!)}`}`
  // No difference is shown here, so what is to be said of differences matters only where one is limited.
  const { limits = [], warnings: doubts = [] } = answer.statistics ?? {}
  const warnings = [...answer.warnings, ...(limits.length === 0 ? [] : doubts)]
  return [
    `${resultText(result, io)}  ${safe(release_id)}  ${place} (${against})\n`,
    ...(answer.summary === undefined ? [] : [`  ${safe(answer.summary)}\n`]),
    ...answer.reasons.map(reason => `  - ${safe(reason)}\n`),
    ...keptLimits(limits).map(text => `  ${safe(text)}\n`),
    ...caseLines(answer.cases ?? [], safe).map(text => `    ${text}\n`),
    ...(isUnsure && confidence === 'HIGH' ? [`  ${ENOUGH_FOR_HIGH}\n`] : []),
    ...(answer.missing_evidence === undefined ? [] : [`  ${safe(missingText(answer.missing_evidence))}\n`]),
    ...warnings.map(warning => `  warning: ${safe(warning)}\n`),
    powerLines(answer.capabilities),
  ].join('')
}
