import { atEnd, requireTime } from '../deadline.ts'
import { type Deadline, SqlError, type Usage } from '../port.ts'
import type { Session } from './session.ts'

export interface Sessions {
  /** Runs `use` with a session of its own, once one is free. Throws busy where none is in time. */
  lease<T>(what: 'read' | 'write', deadline: Deadline, use: (session: Session) => Promise<T>): Promise<T>
  usage(): NonNullable<Usage['sessions']>
  /** Waits for what was begun; may be called twice. */
  end(): Promise<void>
}

/** Sessions are closed that nobody has used for so long, or that are so old: poolers and firewalls forget them. */
const IDLE_MS = 60_000
const LIFETIME_MS = 45 * 60_000

/**
 * Up to `max` sessions, opened when they are needed. Writers, which may all wait for one lock, get no more than three
 * quarters of them, so that reads go on.
 */
export function openSessions(open: (until: number) => Promise<Session>, max: number): Sessions {
  const idle: { session: Session; timer: NodeJS.Timeout }[] = []
  const waiting: Waiting[] = []
  const most = { read: max, write: Math.max(1, Math.floor(max * 0.75)) }
  const leased = { read: 0, write: 0 }
  let ended: Promise<unknown> | undefined
  let allBack = (): void => {}

  const isFree = (what: Waiting['what']): boolean =>
    leased.read + leased.write < max && (what === 'read' || leased.write < most.write)

  async function admit(what: Waiting['what'], deadline: Deadline): Promise<void> {
    if (ended !== undefined) throw new SqlError('unavailable', 'the ledger is closed')
    requireTime(deadline)
    if (waiting.length === 0 && isFree(what)) leased[what] += 1
    else await inLine(what, deadline)
  }

  function inLine(what: Waiting['what'], deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (error: unknown): void => {
        waiting.splice(waiting.indexOf(place), 1)
        reject(error instanceof SqlError && error.kind === 'gone' ? error : allBusy())
      }
      const place = { what, admit: () => (cancel(), resolve()) }
      waiting.push(place)
      const cancel = atEnd(deadline, giveUp)
      callNext()
    })
  }

  /** Readers pass writers that may not go yet. */
  function callNext(): void {
    const index = waiting.findIndex(({ what }) => isFree(what))
    if (index < 0) return
    const [next] = waiting.splice(index, 1)
    leased[next!.what] += 1
    next!.admit()
    callNext()
  }

  function takeIdle(): Session | undefined {
    for (let found = idle.pop(); found !== undefined; found = idle.pop()) {
      clearTimeout(found.timer)
      if (found.session.isUsable) return found.session
    }
    return undefined
  }

  function keep(session: Session): void {
    if (!session.isUsable) return
    if (performance.now() - session.openedAt > LIFETIME_MS) return void session.end()
    const timer = setTimeout(() => {
      const index = idle.findIndex(entry => entry.session === session)
      if (index >= 0) idle.splice(index, 1)
      void session.end()
    }, IDLE_MS)
    idle.push({ session, timer })
  }

  return {
    async lease(what, deadline, use) {
      await admit(what, deadline)
      let session: Session | undefined
      try {
        session = takeIdle() ?? (await open(performance.now() + deadline.leftMs()))
        return await use(session)
      } finally {
        if (session !== undefined) keep(session)
        leased[what] -= 1
        callNext()
        if (leased.read + leased.write === 0) allBack()
      }
    },
    usage() {
      const inLineFor = (access: Waiting['what']): number =>
        waiting.filter(({ what }) => what === access).length
      return {
        most: max,
        idle: idle.length,
        leased: { ...leased },
        waiting: { read: inLineFor('read'), write: inLineFor('write') },
      }
    },
    async end() {
      ended ??= new Promise<void>(resolve => {
        allBack = resolve
        if (leased.read + leased.write === 0) resolve()
      }).then(() =>
        Promise.all(
          idle.splice(0).map(({ session, timer }) => {
            clearTimeout(timer)
            return session.end()
          }),
        ),
      )
      await ended
    },
  }
}

function allBusy(): SqlError {
  const text = 'all connections to the database are busy'
  return new SqlError('busy', text, undefined, text)
}

interface Waiting {
  readonly what: 'read' | 'write'
  readonly admit: () => void
}
