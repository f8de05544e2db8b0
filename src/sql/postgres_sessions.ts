import type postgres from 'postgres'
import { SqlError } from './port.ts'

export type Client = postgres.Sql<{ integers: number }>

/** A connection of one's own. */
export type Session = Pick<Client, 'unsafe' | 'begin'>

export interface Sessions {
  /** Runs `use` with a connection of its own, once one is free. */
  lease<T>(use: (session: Session) => Promise<T>): Promise<T>
  /** Waits for what was begun; may be called twice. */
  end(): Promise<void>
}

/**
 * Up to `max` clients of one connection each, rather than one client of many: one that has lost its connection is
 * not used again, because the driver (3.4.9) may keep bytes of the lost connection for the next one.
 */
export function openSessions(
  connect: () => Client,
  max: number,
  isBroken: (error: unknown) => boolean,
): Sessions {
  const idle: Client[] = []
  const waiting: (() => void)[] = []
  let leased = 0
  let ended: Promise<unknown> | undefined
  let allBack = (): void => {}

  async function take(): Promise<Client> {
    if (ended !== undefined) throw new SqlError('unavailable', 'the ledger is closed')
    leased += 1
    if (leased > max) await new Promise<void>(resolve => waiting.push(resolve))
    return idle.pop() ?? connect()
  }

  function giveBack(client: Client, isUsable: boolean): void {
    if (isUsable) idle.push(client)
    else void client.end({ timeout: 0 })
    leased -= 1
    waiting.shift()?.()
    if (leased === 0) allBack()
  }

  return {
    async lease(use) {
      const client = await take()
      let isUsable = true
      try {
        return await use(client)
      } catch (error) {
        isUsable = !isBroken(error)
        throw error
      } finally {
        giveBack(client, isUsable)
      }
    },
    async end() {
      ended ??= new Promise<void>(resolve => {
        allBack = resolve
        if (leased === 0) resolve()
      }).then(() => Promise.all(idle.map(client => client.end({ timeout: 5 }))))
      await ended
    },
  }
}
