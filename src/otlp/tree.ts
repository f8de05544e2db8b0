import { FACTS } from '../sdk/spans/names.ts'
import { type Span, textOf } from '../sdk/spans/span.ts'
import { type Part, type Used, isAgent, modelsOf, ownPart, usedBy } from '../sdk/spans/use.ts'
import { UsageError } from '../sdk/usage/counts.ts'

/** A run as the spans of one export show it. */
export interface Run {
  readonly root: Span
  /** Whether the span above its root is missing, though it belongs to the same process. */
  readonly isCutOff: boolean
  readonly parts: readonly Part[]
  /** Names of a model that it called or wanted to call; empty where no span says. */
  readonly models: readonly string[]
  /** How many of its spans report tokens. */
  readonly counted: number
  /** What is wrong with the tokens of one of them. */
  readonly problem: string | undefined
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
  let stray = left.map(countTokens).filter(node => node.counted > 0).length
  for (const node of nodes.toReversed()) {
    countTokens(node)
    if (node.isRoot) runs.push(runOf(node))
    else if (node.parent === undefined) stray += node.counted
    else handUp(node, node.parent)
  }
  return { runs: runs.toReversed(), stray }
}

interface Node {
  readonly span: Span
  parent: Node | undefined
  readonly children: Node[]
  isRoot: boolean
  /** The services of the agents above it, and its own where it is one. */
  services: readonly string[]
  /** What the spans below it have handed up. */
  readonly below: Used[]
  used: Used
  models: readonly string[]
  counted: number
  problem: string | undefined
}

const NOTHING: Used = { parts: [], total: 0 }

/** Parents before their children. A span that is there twice counts once. `left` are those in circles. */
function inOrder(spans: readonly Span[]): { nodes: Node[]; left: Node[] } {
  const all = new Map<string, Node>()
  for (const span of spans) {
    const id = span.traceId + span.spanId
    if (!all.has(id)) all.set(id, nodeOf(span))
  }
  const tops: Node[] = []
  for (const node of all.values()) {
    const { traceId, parentId } = node.span
    node.parent = parentId === undefined ? undefined : all.get(traceId + parentId)
    if (node.parent === undefined) tops.push(node)
    else node.parent.children.push(node)
  }
  const nodes: Node[] = []
  const waiting = tops.toReversed()
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    place(node)
    nodes.push(node)
    all.delete(node.span.traceId + node.span.spanId)
    for (const child of node.children) waiting.push(child)
  }
  return { nodes, left: [...all.values()] }
}

function nodeOf(span: Span): Node {
  return {
    span,
    parent: undefined,
    children: [],
    isRoot: false,
    services: [],
    below: [],
    used: NOTHING,
    models: [],
    counted: 0,
    problem: undefined,
  }
}

/** Says whether a run begins here, from what is known of the spans above. */
function place(node: Node): void {
  node.services = node.parent?.services ?? []
  if (!isRunLike(node.span)) return
  const service = textOf(node.span, FACTS.service) ?? ''
  if (node.services.includes(service)) return
  node.isRoot = true
  node.services = [...node.services, service]
}

/** A span that begins its trace and names its release is a run, whatever emitted it. */
function isRunLike(span: Span): boolean {
  return (
    isAgent(span) || (span.parentId === undefined && FACTS.release_id.some(name => name in span.attributes))
  )
}

function countTokens(node: Node): Node {
  try {
    const own = ownPart(node.span)
    node.used = usedBy(own, node.below)
    if (own !== undefined) node.counted += 1
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    node.problem ??= error.message
    node.counted += 1
  }
  if (node.models.length === 0) node.models = modelsOf(node.span)
  return node
}

function handUp(node: Node, parent: Node): void {
  if (node.used.parts.length > 0) parent.below.push(node.used)
  if (parent.models.length === 0) parent.models = node.models
  parent.counted += node.counted
  parent.problem ??= node.problem
}

function runOf({ span, parent, used, models, counted, problem }: Node): Run {
  const isCutOff = span.parentId !== undefined && parent === undefined && !span.isParentRemote
  return { root: span, isCutOff, parts: used.parts, models, counted, problem }
}
