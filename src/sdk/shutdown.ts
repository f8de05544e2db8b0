/** Something that is to be sent before the program ends. */
export interface Drainable {
  readonly queued: number
  /** Sends what it can within its own limit; never rejects. */
  drain(): Promise<void>
}

/** What is used of Node's `process`; other runtimes have none, or one without signals. */
interface NodeProcess {
  readonly pid: number
  kill(pid: number, signal: string): void
  on(event: string, listener: () => void): void
  prependListener(event: string, listener: () => void): void
  removeListener(event: string, listener: () => void): void
  listenerCount(event: string): number
}

const open = new Set<Drainable>()
const triedInVain = new WeakSet<Drainable>()

/** Drains at SIGTERM and when the program has nothing left to do. Returns how to undo it. */
export function drainAtExit(queue: Drainable): () => void {
  const node = nodeProcess()
  if (node === undefined) return () => {}
  if (open.size === 0) {
    // First in line: a listener of the program that listens once is still counted then.
    node.prependListener('SIGTERM', onTerminate)
    node.on('beforeExit', onBeforeExit)
  }
  open.add(queue)
  return function leave() {
    if (!open.delete(queue) || open.size > 0) return
    node.removeListener('SIGTERM', onTerminate)
    node.removeListener('beforeExit', onBeforeExit)
  }
}

function onTerminate(): void {
  const node = nodeProcess()!
  // From here on a second signal ends the program at once, if the program itself doesn't listen.
  node.removeListener('SIGTERM', onTerminate)
  const programListens = node.listenerCount('SIGTERM') > 0
  void drainAll(node, programListens)
}

async function drainAll(node: NodeProcess, programListens: boolean): Promise<void> {
  await Promise.all([...open].map(queue => queue.drain()))
  // A program that listens decides itself when it ends; for any other the signal now does what it would have done.
  if (!programListens) node.kill(node.pid, 'SIGTERM')
  else if (open.size > 0) node.prependListener('SIGTERM', onTerminate)
}

/** Comes again after each drain, so one that was in vain isn't repeated: the program would never end. */
function onBeforeExit(): void {
  for (const queue of open) {
    if (queue.queued === 0) triedInVain.delete(queue)
    else if (!triedInVain.has(queue)) {
      triedInVain.add(queue)
      void queue.drain()
    }
  }
}

function nodeProcess(): NodeProcess | undefined {
  const { process } = globalThis as { process?: Partial<NodeProcess> }
  const isNode = typeof process?.prependListener === 'function' && typeof process.kill === 'function'
  return isNode ? (process as NodeProcess) : undefined
}
