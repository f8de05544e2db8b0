import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import { isoTime, parseTimestamp } from '../../base/time.ts'
import type { EvaluationFacts, ReceivedCases, ScoreImport } from './models.ts'
import { type Report, type ReportedCase, canonicalText, passRuleOf, passedBy } from './rules_report.ts'
import {
  FORMAT_NAMES,
  type ScoreFormat,
  type Shown,
  formatOf,
  nearestFormat,
  readReport,
  writtenBy,
} from './rules_formats.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { MAX_REPORT_BYTES, readFile, readText, textOf } from '../../cli/files.ts'
import { evalLogText, isZip } from './cli_eval_log.ts'
import { bundleChecksum, findBundle } from '../../cli/release/bundle.ts'
import { releaseId } from '../../cli/release/reference.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { warn } from '../../cli/terminal/io.ts'
import { counted, pretty, safe } from '../../cli/terminal/text.ts'

/** Reads a report and imports its scores. What the file lacks is reported; a file without any score is refused. */
export async function importReport({ args, options, io, api }: Invocation): Promise<number> {
  const path = args[0]!
  const bytes = await readFile(path, io, MAX_REPORT_BYTES)
  const text = isZip(bytes) ? evalLogText(bytes, path) : textOf(bytes, path)
  const { format, report } = reportIn(path, text, options.text('format') as ScoreFormat | undefined)
  const rule = options.text('pass-by')
  const cases = rule === undefined ? report.cases : passedCases(path, report.cases, rule)
  const scored = cases.filter(({ scores }) => Object.keys(scores).length > 0)
  if (scored.length === 0) throw badRequest(`${path} has no case with a score.`)
  const said = await factsOf(options, io.cwd, report)
  const opened = await api()
  const of = {
    release_id: await releaseId(options.required('release'), opened, io),
    suite: options.required('suite'),
  }
  const removed = options.all('removed')
  const unnamed = cases.filter(({ id, input }) => id === undefined && input === undefined).length
  const content =
    unnamed === 0
      ? {
          ...(await sendCases(opened, of, cases)),
          ...(removed.length === 0 ? {} : { removed_cases: removed }),
        }
      : { cases: cases.map(({ scores }) => scores) }
  const imported = await callJson(opened, 'POST /v1/scores', {
    body: { ...of, format, source_sha256: hashOf(bytes), ...said, ...content },
  })
  warn({ warnings: [...report.warnings, ...unnamedWarnings(unnamed, cases.length)] }, io)
  if (scored.length < cases.length) {
    io.err(`svc: warning: ${cases.length - scored.length} of ${cases.length} cases have no score\n`)
  }
  io.out(options.json ? pretty(imported) : importedText(imported))
  return 0
}

function unnamedWarnings(unnamed: number, cases: number): string[] {
  if (unnamed === 0 || unnamed === cases) return []
  return [
    `${unnamed} of ${cases} cases have neither an id nor an input, so cases can't be identified: only their sums are stored`,
  ]
}

function reportIn(path: string, text: string, given: ScoreFormat | undefined) {
  const known = formatOf(text)
  const format = given ?? known?.format
  if (format === undefined) throw badRequest(unknownText(path, nearestFormat(text)))
  try {
    return { format, report: readReport(format, text) }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
    const hint =
      known === undefined || known.format === format
        ? ` Such a file comes from ${writtenBy(format)}.`
        : ` It looks like one of ${known.format} (it has ${known.field}): --format ${known.format}.`
    throw badRequest(`${path} is not a report of ${format}: ${error.message}.${hint}`, error)
  }
}

function unknownText(path: string, nearest: Shown | undefined): string {
  const names = `--format (${FORMAT_NAMES.join(', ')})`
  if (nearest === undefined) return `${path} is not a known report; name its tool with ${names}.`
  const { format, field } = nearest
  return `${path} is not a known report. It is nearest to one of ${format} (it has ${field}), which comes from ${writtenBy(format)}. Otherwise name its tool with ${names}.`
}

function passedCases(path: string, cases: readonly ReportedCase[], text: string): ReportedCase[] {
  const rule = passRuleOf(text)
  if (rule === undefined) {
    throw badRequest(
      `--pass-by must be the name of a score, or a name and a number such as faithfulness>=0.8 (it is '${safe(text)}').`,
    )
  }
  try {
    return passedBy(cases, rule)
  } catch (error) {
    if (error instanceof RangeError) throw badRequest(`${path}: ${error.message}.`, error)
    throw error
  }
}

/** Who judged, when, and against which bundle. */
async function factsOf(
  options: Invocation['options'],
  cwd: string,
  report: Report,
): Promise<EvaluationFacts> {
  const [prompt, bundle] = [options.text('judge-prompt'), options.text('bundle')]
  const at = report.evaluated_at === undefined ? undefined : parseTimestamp(report.evaluated_at)
  if (report.evaluated_at !== undefined && at === undefined) {
    throw badRequest(
      `The report's time is '${safe(report.evaluated_at)}', which is not a time such as 2026-01-31T12:00:00Z.`,
    )
  }
  const said = {
    judge_model: options.text('judge-model') ?? report.judge_model,
    judge_prompt_sha256: prompt === undefined ? undefined : hashOf(await readText(prompt, { cwd })),
    judge_rubric_version: options.text('judge-rubric'),
    bundle_checksum:
      bundle === undefined ? undefined : await bundleChecksum(await findBundle(resolve(cwd, bundle))),
    evaluated_at: at === undefined ? undefined : isoTime(at.ms),
  }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
}

/** Cases of a request: the service takes 1,000, in a megabyte. */
const MOST_AT_ONCE = { cases: 1000, bytes: 900_000 }

/** Sends the cases part by part; none of them counts before the import is finished. */
async function sendCases(
  api: Api,
  of: { readonly release_id: string; readonly suite: string },
  cases: readonly ReportedCase[],
): Promise<{ readonly import_id: string; readonly parts: number }> {
  let [import_id, parts]: [string | undefined, number] = [undefined, 0]
  for (const some of inParts(cases.map(tryOf))) {
    const body: object = {
      ...of,
      ...(import_id === undefined ? {} : { import_id, part: parts }),
      cases: some,
    }
    const received: typeof ReceivedCases.infer = await callJson(api, 'POST /v1/scores/cases', { body })
    import_id = received.import_id
    parts += 1
  }
  return { import_id: import_id!, parts }
}

function* inParts(tries: readonly object[]): Generator<readonly object[]> {
  let [some, bytes]: [object[], number] = [[], 0]
  for (const one of tries) {
    const size = Buffer.byteLength(JSON.stringify(one)) + 1
    if (some.length === MOST_AT_ONCE.cases || (some.length > 0 && bytes + size > MOST_AT_ONCE.bytes)) {
      yield some
      ;[some, bytes] = [[], 0]
    }
    some.push(one)
    bytes += size
  }
  yield some
}

/** The text of an input stays here. */
function tryOf({ id, input, epoch, scores, more }: ReportedCase): object {
  const known = id === undefined ? { input_sha256: hashOf(canonicalText(input)) } : { id }
  return { ...known, ...(epoch === 1 ? {} : { epoch }), scores, ...more }
}

function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

function importedText({ import_id, suite, cases, scores, evaluation }: ScoreImport): string {
  const lines = scores.map(
    ({ name, mean, cases: n }) => `${safe(suite)}/${safe(name)}\t${mean}\t${counted(n, 'case')}\n`,
  )
  const apart = evaluation?.case_ids == null ? '' : `, ${SET_APART[evaluation.case_ids]}`
  const tries =
    evaluation === undefined || evaluation.results === cases ? '' : ` in ${evaluation.results} tries`
  return `${lines.join('')}imported ${counted(cases, 'case')}${tries} of ${safe(suite)}${apart}  ${import_id}\n`
}

const SET_APART = {
  given: 'identified by their ids',
  hashed: 'identified by their inputs',
  mixed: 'identified by their ids and inputs',
} as const
