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
  /** The services of the agents above it, and its own where it is one. */
  services: readonly string[]
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
  const waiting = tops.toReversed()
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    place(node)
    nodes.push(node)
    for (const child of node.children) waiting.push(child)
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
    services: NO_SERVICES,
    gathered: new Gathered(),
  }
}

const NO_SERVICES: readonly string[] = []

/** Says whether a run begins here, from what is known of the spans above. */
function place(node: Node): void {
  node.services = node.parent?.services ?? NO_SERVICES
  if (!isRunLike(node.span)) return
  const service = textOf(node.span, FACTS.service) ?? ''
  if (node.services.includes(service)) return
  node.isRoot = true
  node.services = [...node.services, service]
}
