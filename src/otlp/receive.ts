import { type OtlpAnswer, type Rejections, acceptedAnswer } from './answer.ts'
import { type ExportBody, LIMITS, type Limits, readExport } from './body.ts'
import { type KnownRelease, Releases, type Wanted, namedBy, wantedBy } from './releases.ts'
import { type RuleOptions, type RunDraft, draftOf } from './runs.ts'
import { groupRuns } from './tree.ts'

/** What came of an export: runs to store, and what to answer once they are stored. */
export interface Received {
  readonly drafts: readonly RunDraft[]
  readonly rejections: Rejections
  readonly answer: OtlpAnswer
}

/** What an export is received with. */
export interface ReceiveOptions extends RuleOptions {
  /** Finds the registered releases that are wanted, newest first. */
  readonly lookup: (wanted: Wanted) => Promise<readonly KnownRelease[]>
  /** Lets others go on between the parts of the work. */
  readonly nextTurn: () => Promise<void> | void
  readonly limits?: Limits
  /** Why runs of an environment are refused, if they are. */
  readonly refuses?: (environment: string) => string | undefined
}

/** Most releases that one export may be about. */
const MOST_WANTED = 10_000

/**
 * Makes runs of an export of spans. Throws ServiceError 400, 413 or 415 for a body that can't be read; `refusedAnswer`
 * writes that down. Spans that make no run are told in the answer, and are not to be sent again.
 */
export async function receiveExport(body: ExportBody, options: ReceiveOptions): Promise<Received> {
  const { lookup, nextTurn, limits = LIMITS } = options
  const { spans, broken } = await readExport(body, limits, nextTurn)
  await nextTurn()
  const rejections = new Map<string, number>()
  const reject = (reason: string, count: number): void => {
    if (count > 0) rejections.set(reason, (rejections.get(reason) ?? 0) + count)
  }
  for (const reason of broken) reject(reason, 1)
  const { runs, stray } = groupRuns(spans)
  await nextTurn()
  reject(STRAY, stray)
  const named = runs.map(run => ({ run, named: namedBy(run.root) }))
  const wanted = wantedBy(named.map(each => each.named))
  const isTooMany = wanted.release_ids.length + wanted.versions.length > MOST_WANTED
  const releases = new Releases(isTooMany ? [] : await lookup(wanted))
  const drafts: RunDraft[] = []
  for (const each of named) {
    const draft = isTooMany ? TOO_MANY_RELEASES : draftOf(each.run, each.named, releases, options)
    const problem = typeof draft === 'string' ? undefined : options.refuses?.(draft.environment)
    if (problem !== undefined) reject(problem, Math.max(1, each.run.gathered.counted))
    else if (typeof draft === 'string') reject(draft, Math.max(1, each.run.gathered.counted))
    else drafts.push(draft)
  }
  return { drafts, rejections, answer: acceptedAnswer(body.format, rejections) }
}

const STRAY = 'it reports tokens, but no agent span above it is in this request'
const TOO_MANY_RELEASES = `the request names more than ${MOST_WANTED} releases`
