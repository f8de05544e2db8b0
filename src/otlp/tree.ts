import { Gathered } from '../sdk/spans/gather.ts'
import { FACTS } from '../sdk/spans/names.ts'
import { type Span, textOf } from '../sdk/spans/span.ts'
import { isRunLike } from '../sdk/spans/use.ts'

/** A run as the spans of one export show it. */
export interface Run {
  readonly root: Span
  /** Whether the span above its root is missing, though it belongs to the same process. */
  readonly isCutOff: boolean
  readonly gathered: Gathered
}

export interface Grouped {
  readonly runs: readonly Run[]
  /** How many spans report tokens and belong to no run. */
  readonly stray: number
}

/**
 * Groups spans into runs. A run is an agent span that has no agent of the same service above it; what an agent of another
 * service uses below it is that one's own. Spans whose parents form a circle belong to none.
 */
export function groupRuns(spans: readonly Span[]): Grouped {
  const { nodes, left } = inOrder(spans)
  const runs: Run[] = []
  let stray = 0
  for (const { span, gathered } of left) {
    gathered.end(span)
    stray += gathered.counted
  }
  for (const { span, parent, isRoot, gathered } of nodes.toReversed()) {
    gathered.end(span)
    if (isRoot) runs.push({ root: span, isCutOff: isCutOff(span, parent), gathered })
    else if (parent === undefined) stray += gathered.counted
    else parent.gathered.add(gathered)
  }
  return { runs: runs.toReversed(), stray }
}

function isCutOff({ parentId, isParentRemote }: Span, parent: Node | undefined): boolean {
  return parentId !== undefined && parent === undefined && !isParentRemote
}

interface Node {
  readonly span: Span
  parent: Node | undefined
  readonly children: Node[]
  isRoot: boolean
  readonly gathered: Gathered
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
  // A service stands below what it is above of, so it comes up when all of that is placed.
  const waiting: (Node | string)[] = tops.toReversed()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') {
      above.delete(next)
      continue
    }
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
  return { span, parent: undefined, children: [], isRoot: false, gathered: new Gathered() }
}

/** The service whose run begins here; undefined where none does. `above` are the services of the agents above it. */
function serviceOfRun({ span }: Node, above: ReadonlySet<string>): string | undefined {
  if (!isRunLike(span)) return undefined
  const service = textOf(span, FACTS.service) ?? ''
  return above.has(service) ? undefined : service
}
