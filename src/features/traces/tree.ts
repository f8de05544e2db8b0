import { Gathered } from '../../spans/gather.ts'
import { firstTokenOf } from './first_token.ts'
import { FACTS } from '../../spans/names.ts'
import { type Span, textOf } from '../../spans/span.ts'
import { type Part, isRunByResource, isRunLike, reportsTokens } from '../../spans/use.ts'

/** Spans of a trace that hang together: those of a run, or those of which it isn't known what run they are of. */
export interface Group {
  /** The first of them. */
  readonly top: Span
  readonly kind: Kind
  readonly gathered: Gathered
  /** When a model answered the first token of a run, as far as spans tell; epoch ms. */
  readonly firstTokenMs: number | undefined
  /** What is odd about its spans. */
  readonly warnings: Set<string>
  /** The parent that has not come, where the chain of parents ends with one: it may change what the group is. */
  readonly missing: Missing | undefined
  /** The ids of all parents above `top`, with the missing one. */
  readonly above: () => ReadonlySet<string>
}

/**
 * `run`: it begins with an agent. `run by resource`: it begins where a process begins that names its release for all its
 * spans, and has no agents. `stray`: no agent is above. `circle`: its parents lead to nowhere.
 */
type Kind = 'run' | 'run by resource' | 'stray' | 'circle'

interface Missing {
  readonly spanId: string
  readonly isRemote: boolean
}

export interface Grouped {
  readonly groups: readonly Group[]
  readonly groupOf: (span: Span) => Group | undefined
  /** What of some groups has to be kept until more of them comes: their calls, and the spans that link these. */
  readonly remains: (groups: ReadonlySet<Group>) => readonly Span[]
}

/**
 * Groups the spans of traces. A run is an agent span that has no agent of the same service above it; what an agent of
 * another service uses below it is that one's own. Of two spans with one id the first counts.
 */
export function groupSpans(spans: readonly Span[]): Grouped {
  const { nodes, left } = inOrder(spans)
  const owners = new Map<Span, Group>()
  const groups: Group[] = []
  for (const node of left) {
    node.gathered.end(node.span)
    groups.push(own(node, 'circle', owners))
  }
  // Children before their parents.
  for (let index = nodes.length - 1; index >= 0; index--) endNode(nodes[index]!)
  for (const node of nodes) {
    const { span, parent, isRoot } = node
    if (isRoot) groups.push(own(node, 'run', owners))
    else if (parent !== undefined) owners.set(span, owners.get(parent.span)!)
    else groups.push(own(node, isRunOfProcess(node) ? 'run by resource' : 'stray', owners))
  }
  return {
    groups,
    groupOf: span => owners.get(span),
    remains: wanted => remainsOf(nodes, owners, wanted),
  }
}

function endNode(node: Node): void {
  const { span, parent, isRoot, hasRun, gathered } = node
  gathered.end(span)
  if (outdoesCalls(node)) node.warnings.add(OUTDOES)
  const firstToken = firstTokenOf(span)
  if (typeof firstToken === 'string') node.warnings.add(firstToken)
  else node.firstTokenMs = earlier(node.firstTokenMs, firstToken)
  if (parent === undefined) return
  if (isRoot || hasRun) parent.hasRun = true
  if (isRoot) return
  parent.gathered.add(gathered)
  parent.firstTokenMs = earlier(parent.firstTokenMs, node.firstTokenMs)
  for (const text of node.warnings) parent.warnings.add(text)
}

const OUTDOES =
  'a span reports more tokens than the calls below it, which are of other models: all are priced at its model'

/** Whether a span says more than the calls below it, so that it counts, though these are of other models. */
function outdoesCalls({ span, children, gathered: { parts } }: Node): boolean {
  const [first] = parts
  if (first === undefined || parts.length > 1 || !reportsTokens(span)) return false
  const isOther = (part: Part): boolean =>
    part !== first && !part.models.some(name => first.models.includes(name))
  return children.some(child => !child.isRoot && child.gathered.parts.some(isOther))
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

function isRunOfProcess({ span, gathered, hasRun }: Node): boolean {
  return gathered.calls > 0 && !hasRun && isRunByResource(span)
}

function own(node: Node, kind: Kind, owners: Map<Span, Group>): Group {
  const { span, gathered, firstTokenMs, warnings, last } = node
  const missing =
    last.parentId === undefined || kind === 'circle'
      ? undefined
      : { spanId: last.parentId, isRemote: last.isParentRemote }
  const group = { top: span, kind, gathered, firstTokenMs, warnings, missing, above: () => idsAbove(node) }
  owners.set(span, group)
  return group
}

function idsAbove({ span, parent }: Node): ReadonlySet<string> {
  const ids = new Set<string>()
  if (span.parentId !== undefined) ids.add(span.parentId)
  for (let node = parent; node !== undefined; node = node.parent) {
    if (node.span.parentId !== undefined) ids.add(node.span.parentId)
  }
  return ids
}

function remainsOf(
  nodes: readonly Node[],
  owners: ReadonlyMap<Span, Group>,
  wanted: ReadonlySet<Group>,
): readonly Span[] {
  const kept = new Set<Node>()
  for (const node of nodes.toReversed()) {
    const { span, gathered } = node
    // A failed agent counts, whatever it called.
    const matters = gathered.calls > 0 || gathered.tools.size > 0 || (span.hasFailed && isRunLike(span))
    if ((matters && wanted.has(owners.get(span)!)) || node.children.some(child => kept.has(child))) {
      kept.add(node)
    }
  }
  return Array.from(kept, ({ span }) => span)
}

interface Node {
  readonly span: Span
  parent: Node | undefined
  readonly children: Node[]
  isRoot: boolean
  /** Whether a run begins below it. */
  hasRun: boolean
  /** The first span of its chain of parents. */
  last: Span
  readonly gathered: Gathered
  firstTokenMs: number | undefined
  readonly warnings: Set<string>
}

/** Parents before their children. A span that is there twice counts once. `left` are those in circles. */
function inOrder(spans: readonly Span[]): { nodes: Node[]; left: Node[] } {
  const traces = new Map<string, Map<string, Node>>()
  const all: Node[] = []
  for (const span of spans) {
    let trace = traces.get(span.traceId)
    if (trace === undefined) traces.set(span.traceId, (trace = new Map()))
    if (trace.has(span.spanId)) continue
    const node = nodeOf(span)
    trace.set(span.spanId, node)
    all.push(node)
  }
  const tops: Node[] = []
  for (const node of all) {
    const { traceId, parentId } = node.span
    node.parent = parentId === undefined ? undefined : traces.get(traceId)!.get(parentId)
    if (node.parent === undefined) tops.push(node)
    else node.parent.children.push(node)
  }
  const nodes: Node[] = []
  const above = new Set<string>()
  // A service is placed below what it is above of, so it comes up when all of that is placed.
  const waiting: (Node | string)[] = tops.toReversed()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') {
      above.delete(next)
      continue
    }
    if (next.parent !== undefined) next.last = next.parent.last
    const service = serviceOfRun(next, above)
    if (service !== undefined) {
      next.isRoot = true
      above.add(service)
      waiting.push(service)
    }
    nodes.push(next)
    for (const child of next.children) waiting.push(child)
  }
  // Nearly always all of them: only circles are reached from nowhere.
  return { nodes, left: nodes.length === all.length ? [] : unplaced(all, nodes) }
}

function unplaced(all: readonly Node[], nodes: readonly Node[]): Node[] {
  const placed = new Set(nodes)
  return all.filter(node => !placed.has(node))
}

function nodeOf(span: Span): Node {
  return {
    span,
    parent: undefined,
    children: [],
    isRoot: false,
    hasRun: false,
    last: span,
    gathered: new Gathered(),
    firstTokenMs: undefined,
    warnings: new Set(),
  }
}

/** The service whose run begins here; undefined where none does. `above` are the services of the agents above it. */
function serviceOfRun({ span }: Node, above: ReadonlySet<string>): string | undefined {
  if (!isRunLike(span)) return undefined
  const service = textOf(span, FACTS.service) ?? ''
  return above.has(service) ? undefined : service
}
